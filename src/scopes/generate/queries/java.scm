; Public types of a file, and their public methods; those of an interface are public.

(program
  (_ (modifiers "public") name: (identifier) @name) @export
  (#set! without "@(?!interface)\\w[\\w.]*(?:\\([^)]*\\))?\\s*"))

(program
  (_
    (modifiers "public")
    name: (identifier) @owner
    body: (_ (method_declaration (modifiers "public") name: (identifier) @name) @member))
  (#set! signature "{owner}: {head}")
  (#set! without "@(?!interface)\\w[\\w.]*(?:\\([^)]*\\))?\\s*"))

(program
  (interface_declaration
    (modifiers "public")
    name: (identifier) @owner
    body: (_ (method_declaration name: (identifier) @name) @member))
  (#set! signature "{owner}: {head}")
  (#set! without "@(?!interface)\\w[\\w.]*(?:\\([^)]*\\))?\\s*"))

(program (import_declaration . (_) @import))
