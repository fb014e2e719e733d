; Besides what JavaScript has: types, and values that have them.

(program
  (export_statement (type_alias_declaration name: (_) @name) @export)
  (#set! signature "type {name}"))

(program (export_statement (ambient_declaration (_ name: (_) @name) @export)))

(program
  (export_statement
    (_
      (variable_declarator
        name: (_) @name
        !type
        value: [
          (arrow_function
            "async"? @async type_parameters: (_)? @generics parameters: (_) @parameters return_type: (_)? @result)
          (function_expression
            "async"? @async type_parameters: (_)? @generics parameters: (_) @parameters return_type: (_)? @result)
          (generator_function
            "async"? @async type_parameters: (_)? @generics parameters: (_) @parameters return_type: (_)? @result)
        ]) @export))
  (#set! signature "{async} {name}{generics}{parameters}{result}"))

(program
  (export_statement
    (_
      (variable_declarator
        name: (_) @name
        !type
        value: (arrow_function "async"? @async parameter: (_) @parameter)) @export))
  (#set! signature "{async} {name}({parameter})"))

(program
  (export_statement (_ (variable_declarator name: (identifier) @name type: (_)? @type) @export))
  (#set! signature "const {name}{type}"))

(program
  (export_statement
    (_
      name: (_) @owner
      body: (class_body
        (method_definition (accessibility_modifier)? @access name: (_) @name) @member)))
  (#not-match? @name "^[_#]|^constructor$")
  (#not-match? @access "private|protected")
  (#set! signature "{owner}.{head}"))
