; Exported variables and methods where values have no types.

(program
  (export_statement
    (_
      (variable_declarator
        name: (_) @name
        value: [
          (arrow_function "async"? @async parameters: (_) @parameters)
          (function_expression "async"? @async parameters: (_) @parameters)
          (generator_function "async"? @async parameters: (_) @parameters)
        ]) @export))
  (#set! signature "{async} {name}{parameters}"))

(program
  (export_statement
    (_ (variable_declarator name: (_) @name value: (arrow_function "async"? @async parameter: (_) @parameter)) @export))
  (#set! signature "{async} {name}({parameter})"))

(program
  (export_statement (_ (variable_declarator name: (identifier) @name) @export))
  (#set! signature "const {name}"))

(program
  (export_statement
    (_ name: (_) @owner body: (class_body (method_definition name: (_) @name) @member)))
  (#not-match? @name "^[_#]|^constructor$")
  (#set! signature "{owner}.{head}"))
