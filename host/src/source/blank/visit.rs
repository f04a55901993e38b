//! Walks over the syntax tree and decides what to blank.
//!
//! **Invariant:** the walk never enters types; they are blanked by their span.

use std::collections::HashSet;

use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::parser::{Kind, Token};
use oxc::span::GetSpan as _;
use oxc::syntax::scope::ScopeFlags;

use super::super::compile::{ImportTiming, ModuleImport};
use super::super::error::UnsupportedConstruct;
use super::edits::Edits;
use super::import_uses::{self, ImportUses};
use super::{class, erase, links};
use crate::source::links::{ExportOrigin, ModuleLinks};

/// A program without its types.
pub(in super::super) struct BlankedProgram {
    pub(in super::super) code: String,
    /// Its imports: those at its top with each specifier once, and every dynamic one that is written
    /// out.
    pub(in super::super) imports: Vec<ModuleImport>,
    /// Whether it has module syntax that remains at run time.
    pub(in super::super) is_module: bool,
    /// The first `return` outside a function.
    pub(in super::super) top_level_return: Option<u32>,
    /// The first construct that cannot be run.
    pub(in super::super) refusal: Option<UnsupportedConstruct>,
    /// The names that it imports and exports.
    pub(in super::super) links: ModuleLinks,
}

/// Blanks the types of a program.
pub(in super::super) fn blank(program: &Program<'_>, tokens: &[Token]) -> BlankedProgram {
    let mut blanker = Blanker {
        edits: Edits::new(program.source_text, tokens),
        imports: Vec::new(),
        known: HashSet::new(),
        specifiers: HashSet::new(),
        uses: ImportUses::new(program),
        is_module: false,
        function_depth: 0,
        statement_start: u32::MAX,
        top_level_return: None,
        refusal: None,
    };
    if let Some(hashbang) = &program.hashbang {
        blanker.edits.blank_span(hashbang.span);
    }
    blanker.visit_statements(&program.body);
    blanker.uses.note_mentions(program, tokens);
    blanker.erase_type_imports(program);
    let links = links::read(program, &blanker.edits, &blanker.uses);
    for export in &links.exports {
        if let (ExportOrigin::Type, Some(text)) = (&export.origin, &export.text) {
            blanker.edits.blank_span(text.erased);
        }
    }
    BlankedProgram {
        code: blanker.edits.finish(),
        imports: blanker.imports,
        is_module: blanker.is_module,
        top_level_return: blanker.top_level_return,
        refusal: blanker.refusal,
        links,
    }
}

struct Blanker<'t> {
    edits: Edits<'t>,
    imports: Vec<ModuleImport>,
    /// The specifiers of the static imports in `imports`.
    known: HashSet<String>,
    /// The specifiers of `export … from` declarations.
    specifiers: HashSet<String>,
    uses: ImportUses,
    is_module: bool,
    /// The number of functions around the current node.
    function_depth: usize,
    /// The start of the innermost expression statement.
    statement_start: u32,
    top_level_return: Option<u32>,
    refusal: Option<UnsupportedConstruct>,
}

impl Blanker<'_> {
    /// Erases imports that only the end of the text shows to be types: uses follow.
    fn erase_type_imports(&mut self, program: &Program<'_>) {
        let mut kept = HashSet::new();
        for declaration in import_uses::declarations(program) {
            if self.uses.is_erased(declaration) {
                self.edits.erase(declaration.span);
            } else {
                self.is_module = true;
                kept.insert(declaration.source.value.as_str());
                self.uses.blank_types(&mut self.edits, declaration);
            }
        }
        // What is exported from there too was recorded in `specifiers`.
        let specifiers = &self.specifiers;
        self.imports.retain(|import| {
            import.timing == ImportTiming::Dynamic
                || specifiers.contains(&import.specifier)
                || kept.contains(import.specifier.as_str())
        });
    }

    fn refuse(&mut self, offset: u32, what: &'static str, hint: &'static str) {
        if self.refusal.is_none_or(|refusal| refusal.offset > offset) {
            self.refusal = Some(UnsupportedConstruct { offset, what, hint });
        }
    }

    fn record_import(&mut self, source: &str, offset: u32) {
        self.specifiers.insert(source.to_owned());
        self.push_import(source, offset);
    }

    fn push_import(&mut self, source: &str, offset: u32) {
        if self.known.insert(source.to_owned()) {
            let (specifier, timing) = (source.to_owned(), ImportTiming::Static);
            self.imports.push(ModuleImport { specifier, offset, timing });
        }
    }

    fn record_dynamic_import(&mut self, source: &str, offset: u32) {
        let (specifier, timing) = (source.to_owned(), ImportTiming::Dynamic);
        self.imports.push(ModuleImport { specifier, offset, timing });
    }

    fn is_unsafe_assertion(&self, it: &TSTypeAssertion<'_>) -> bool {
        let before = self.edits.token_before(it.span.start).map(|token| token.kind());
        let first = self.edits.token_from(it.expression.span().start).map(|token| token.kind());
        let at_statement = it.span.start == self.statement_start;
        let opens = match first {
            Some(Kind::LCurly) => at_statement || before == Some(Kind::Arrow),
            Some(Kind::Function | Kind::Class | Kind::Async | Kind::Let) => {
                at_statement || before == Some(Kind::Default)
            }
            _ => false,
        };
        let restricted = matches!(before, Some(Kind::Return | Kind::Throw | Kind::Yield));
        opens || (restricted && self.edits.has_line_end(it.span.start, it.expression.span().start))
    }

    fn move_arrow_parentheses(&mut self, it: &ArrowFunctionExpression<'_>) {
        if let Some(types) = &it.type_parameters
            && self.edits.has_line_end(types.span.start, it.params.span.start)
        {
            // `return <T>⏎(x) => x` and `async <T>⏎(x) => x` must keep `(` on the first line.
            self.edits.blank(it.params.span.start, it.params.span.start + 1);
            self.edits.put(types.span.start, b'(');
        }
        if let Some(result) = &it.return_type {
            let end = self
                .edits
                .token_from(result.span.end)
                .map_or(result.span.end, |arrow| arrow.start());
            if self.edits.has_line_end(it.params.span.end, end) {
                // No line may end between `)` and `=>`.
                self.edits.blank(it.params.span.end - 1, it.params.span.end);
                self.edits.put(result.span.end - 1, b')');
            }
        }
    }
}

impl<'a> Visit<'a> for Blanker<'_> {
    // Statements

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if erase::is_erased(it) {
            self.edits.erase(it.span());
            return;
        }
        walk::walk_statement(self, it);
        self.edits.end_statement(it.span().end);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        let outer = std::mem::replace(&mut self.statement_start, it.span.start);
        walk::walk_expression_statement(self, it);
        self.statement_start = outer;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.edits.blank_token(it.id.span().end, Kind::Bang);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        if self.function_depth == 0 {
            self.top_level_return.get_or_insert(it.span.start);
        }
        walk::walk_return_statement(self, it);
    }

    // Modules

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.phase.is_some() {
            self.refuse(it.span.start, "an import phase", "write a plain `import`");
        }
        self.push_import(&it.source.value, it.source.span.start);
        walk::walk_import_declaration(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.uses.note_value(it.name.as_str());
    }

    fn visit_import_specifier(&mut self, it: &ImportSpecifier<'a>) {
        if it.import_kind.is_type() {
            self.edits.blank_item(it.span);
        }
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        if it.export_kind.is_type() {
            self.edits.blank_item(it.span);
        } else {
            self.uses.note_export(&it.local.name());
        }
    }

    // The loader takes the kind of a file from its name; the guest needs no attributes.
    fn visit_with_clause(&mut self, it: &WithClause<'a>) {
        let keyword = self.edits.token_before(it.span.start);
        let start = match keyword {
            Some(token) if matches!(token.kind(), Kind::With | Kind::Assert) => token.start(),
            _ => it.span.start,
        };
        self.edits.blank(start, it.span.end);
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.is_module = true;
        self.record_import(&it.source.value, it.source.span.start);
        walk::walk_export_all_declaration(self, it);
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        self.is_module = true;
        self.record_import(&it.source.value, it.source.span.start);
        walk::walk_export_from_declaration(self, it);
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        self.is_module = true;
        walk::walk_export_named_declaration(self, it);
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.is_module = true;
        walk::walk_export_declaration(self, it);
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        self.is_module = true;
        walk::walk_export_default_declaration(self, it);
    }

    fn visit_import_meta(&mut self, _: &ImportMeta) {
        self.is_module = true;
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        match &it.source {
            Expression::StringLiteral(source) => {
                self.record_dynamic_import(&source.value, it.span.start)
            }
            Expression::TemplateLiteral(source) if source.is_no_substitution_template() => {
                let text = source.quasis.first().and_then(|quasi| quasi.value.cooked);
                let text = text.map_or("", |text| text.as_str());
                self.record_dynamic_import(text, it.span.start);
            }
            // The program computes what it imports, and finds out when it gets there.
            _ => {}
        }
        if it.phase.is_some() {
            self.refuse(it.span.start, "an import phase", "write a plain `import(…)`");
        }
        walk::walk_import_expression(self, it);
        if let Some(Expression::ObjectExpression(options)) = &it.options {
            self.edits.blank(it.source.span().end, options.span.end);
        }
    }

    // Expressions

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.edits.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        if self.is_unsafe_assertion(it) {
            self.refuse(
                it.span.start,
                "a type assertion with `<…>` at this place",
                "write `… as …` instead",
            );
        }
        self.edits.blank(it.span.start, it.expression.span().start);
        self.visit_expression(&it.expression);
    }

    // Functions

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.function_depth += 1;
        walk::walk_function(self, it, flags);
        self.function_depth -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.function_depth += 1;
        walk::walk_arrow_function_expression(self, it);
        self.function_depth -= 1;
        self.move_arrow_parentheses(it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(
                it.span.start,
                "a parameter property",
                "declare the field in the class and assign it in the constructor",
            );
        }
        if it.optional {
            self.edits.blank_token(it.pattern.span().end, Kind::Question);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.edits.blank_item(it.span);
    }

    // Classes

    fn visit_class(&mut self, it: &Class<'a>) {
        class::blank_head(&mut self.edits, it);
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if class::is_erased(it) {
            self.edits.erase(it.span());
        } else {
            walk::walk_class_element(self, it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        class::blank_method(&mut self.edits, it);
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        class::blank_property(&mut self.edits, it);
        walk::walk_property_definition(self, it);
        self.edits.end_statement(it.span.end);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        class::blank_accessor(&mut self.edits, it);
        walk::walk_accessor_property(self, it);
        self.edits.end_statement(it.span.end);
    }

    fn visit_ts_class_implements_list(
        &mut self,
        _: &oxc::allocator::Vec<'a, TSClassImplements<'a>>,
    ) {
    }

    // Types

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.edits.blank_span(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.edits.blank_span(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.edits.blank_span(it.span);
    }

    // Constructs that JavaScript does not have

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.refuse(
            it.span.start,
            "an enum",
            "use a constant object: `const Color = { Red: \"red\" } as const`",
        );
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.refuse(it.span.start, "a namespace with values", "use a module or a constant object");
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span.start, "`import … =`", "write `import … from \"./file.ts\"`");
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span.start, "`export =`", "write `export default`");
    }

    fn visit_ts_namespace_export_declaration(&mut self, it: &TSNamespaceExportDeclaration<'a>) {
        self.refuse(it.span.start, "`export as namespace`", "write `export default`");
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span.start, "a decorator", "call the function yourself");
    }
}
