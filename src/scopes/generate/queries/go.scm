; What others can use of a package: names that begin with a capital.

(source_file
  (function_declaration name: (identifier) @name) @export
  (#match? @name "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]"))

(source_file
  (type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @export)
  (#match? @name "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]")
  (#set! signature "type {name} struct"))

(source_file
  (type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @export)
  (#match? @name "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]")
  (#set! signature "type {name} interface"))

(source_file
  (type_declaration [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] @export)
  (#match? @name "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]")
  (#set! signature "type {name}"))

(source_file
  (method_declaration
    receiver: (parameter_list
      (parameter_declaration
        type: [
          (type_identifier) @owner
          (generic_type type: (type_identifier) @owner)
          (pointer_type [(type_identifier) @owner (generic_type type: (type_identifier) @owner)])
        ]))
    name: (field_identifier) @name) @member
  (#match? @owner "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]")
  (#match? @name "^[A-ZÀ-ÖØ-ÞΑ-ΩЀ-Я]"))

(import_spec path: (_) @import)
