; Modules of both kinds: `export` and `import`, `module.exports` and `require`.

(program (export_statement (_ name: (_) @name) @export))

(program (export_statement (export_clause (export_specifier name: _ @name !alias) @export)) (#set! declared "yes"))

(program
  (export_statement (export_clause (export_specifier alias: _ @name) @export))
  (#set! signature "{name}"))

(program
  (expression_statement (assignment_expression left: (_) @module right: (identifier) @name) @export)
  (#eq? @module "module.exports")
  (#set! signature "{name}"))

(program
  (expression_statement
    (assignment_expression
      left: (_) @module
      right: (object [
        (shorthand_property_identifier) @name
        (pair key: (property_identifier) @name)
        (method_definition name: (property_identifier) @name)
      ] @export)))
  (#eq? @module "module.exports")
  (#set! signature "{name}"))

(program
  (expression_statement
    (assignment_expression
      left: (member_expression object: (_) @module property: (property_identifier) @name)) @export)
  (#any-of? @module "exports" "module.exports")
  (#set! signature "{name}"))

(program
  (export_statement
    (_
      (variable_declarator
        name: (object_pattern [
          (shorthand_property_identifier_pattern) @name
          (pair_pattern value: (identifier) @name)
        ])) @export))
  (#set! signature "const {name}"))

(program (_ name: (_) @name) @declaration)

(program [
  (import_statement source: (string) @import)
  (export_statement source: (string) @import)
])

(program
  (_
    (variable_declarator
      value: (call_expression function: (identifier) @function arguments: (arguments . (string) @import))))
  (#eq? @function "require"))
