; What is `pub` to everyone, not only to the crate.

(source_file
  (function_item (visibility_modifier) @visibility name: (identifier) @name) @export
  (#eq? @visibility "pub"))

(source_file
  (_
    (visibility_modifier) @visibility
    ["struct" "enum" "union" "trait" "type" "const" "static" "mod"] @kind
    name: (_) @name) @export
  (#eq? @visibility "pub")
  (#set! signature "pub {kind} {name}"))

(source_file
  (attribute_item) @attribute
  .
  (macro_definition name: (_) @name) @export
  (#match? @attribute "macro_export")
  (#set! signature "macro {name}!"))

(source_file
  (impl_item
    !trait
    type: [
      (type_identifier) @owner
      (scoped_type_identifier) @owner
      (generic_type type: (_) @owner)
    ]
    body: (declaration_list
      (function_item (visibility_modifier) @visibility name: (identifier) @name) @member))
  (#eq? @visibility "pub")
  (#set! signature "{owner}::{head}")
  (#set! without "^pub "))

(source_file
  (use_declaration
    argument: [
      (identifier) @import
      (scoped_identifier) @import
      (scoped_use_list path: (_) @import)
      (use_as_clause path: (_) @import)
      (use_wildcard (_) @import)
    ]))
