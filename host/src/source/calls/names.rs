//! Resolves the names of a module to what they refer to: `mcp`, a server, a tool, or a constant.
//!
//! **Invariant:** a variable is resolved only if it is bound once and never written to again.

use super::literal;
use oxc::ast::ast::*;
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Scoping, SymbolId};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Deepest expression that is resolved: `mcp.server.tool` has three levels, with brackets and casts
/// around each part.
const DEPTH: usize = 16;

/// Names that are never a server or a tool in the sandbox, because conversions of a value read
/// properties with these names.
const CONVERSIONS: [&str; 5] = ["then", "toJSON", "valueOf", "constructor", "toString"];

/// The object that an expression refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum McpReference {
    /// `globalThis`.
    Global,
    /// `mcp`.
    Mcp,
    /// `mcp.call`.
    Call,
    /// A server, or an unknown one if the name is `None`.
    Server(Option<String>),
    /// A tool by server and name. The name, or both, may be unknown.
    Tool(Option<String>, Option<String>),
    /// A property of `mcp` or of a server that calls no tool.
    Harmless,
}

/// The variables of a module whose values are known.
pub(super) struct ModuleVariables<'s> {
    scoping: &'s Scoping,
    references: HashMap<SymbolId, McpReference>,
    constants: HashMap<SymbolId, Value>,
    /// Variables that are only declared (`declare const`): the name refers to a global.
    ambient: HashSet<SymbolId>,
}

impl<'s> ModuleVariables<'s> {
    /// Reads the variables of a module.
    pub(super) fn new(program: &Program<'_>, scoping: &'s Scoping) -> ModuleVariables<'s> {
        let mut names = ModuleVariables {
            scoping,
            references: HashMap::new(),
            constants: HashMap::new(),
            ambient: HashSet::new(),
        };
        names.visit_program(program);
        names
    }

    /// Returns the reference that an expression evaluates to, or `None` if it is not one that calls
    /// are made through.
    pub(super) fn resolve(&self, expression: &Expression<'_>) -> Option<McpReference> {
        self.resolve_within(expression, DEPTH)
    }

    fn resolve_within(&self, expression: &Expression<'_>, depth: usize) -> Option<McpReference> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expression::Identifier(it) => self.resolve_identifier(it),
            Expression::ParenthesizedExpression(it) => self.resolve_within(&it.expression, depth),
            Expression::TSAsExpression(it) => self.resolve_within(&it.expression, depth),
            Expression::TSSatisfiesExpression(it) => self.resolve_within(&it.expression, depth),
            Expression::TSTypeAssertion(it) => self.resolve_within(&it.expression, depth),
            Expression::TSNonNullExpression(it) => self.resolve_within(&it.expression, depth),
            Expression::TSInstantiationExpression(it) => self.resolve_within(&it.expression, depth),
            Expression::StaticMemberExpression(it) => {
                let object = self.resolve_within(&it.object, depth)?;
                member(object, Some(it.property.name.as_str()))
            }
            Expression::ComputedMemberExpression(it) => {
                let object = self.resolve_within(&it.object, depth)?;
                member(object, self.string_value(&it.expression).as_deref())
            }
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::StaticMemberExpression(it) => {
                    let object = self.resolve_within(&it.object, depth)?;
                    member(object, Some(it.property.name.as_str()))
                }
                ChainElement::ComputedMemberExpression(it) => {
                    let object = self.resolve_within(&it.object, depth)?;
                    member(object, self.string_value(&it.expression).as_deref())
                }
                ChainElement::TSNonNullExpression(it) => self.resolve_within(&it.expression, depth),
                _ => None,
            },
            _ => None,
        }
    }

    fn resolve_identifier(&self, it: &IdentifierReference<'_>) -> Option<McpReference> {
        match self.symbol(it) {
            None if it.name == "mcp" => Some(McpReference::Mcp),
            None if it.name == "globalThis" => Some(McpReference::Global),
            None => None,
            Some(symbol) => self.references.get(&symbol).cloned(),
        }
    }

    /// Returns the variable that a name refers to, or `None` for a global.
    fn symbol(&self, it: &IdentifierReference<'_>) -> Option<SymbolId> {
        let reference = it.reference_id.get()?;
        let symbol = self.scoping.get_reference(reference).symbol_id()?;
        (!self.ambient.contains(&symbol)).then_some(symbol)
    }

    /// Reports whether a name is the global `undefined`.
    pub(super) fn is_undefined(&self, it: &IdentifierReference<'_>) -> bool {
        it.name == "undefined" && self.symbol(it).is_none()
    }

    /// Returns the value of a constant, or `None` if the name is not a constant.
    pub(super) fn constant_value(&self, it: &IdentifierReference<'_>) -> Option<&Value> {
        self.constants.get(&self.symbol(it)?)
    }

    /// Returns the string value of an expression, if it is written out.
    pub(super) fn string_value(&self, expression: &Expression<'_>) -> Option<String> {
        let value = match expression.get_inner_expression() {
            Expression::Identifier(it) => self.constant_value(it).cloned(),
            other => literal::scalar(other),
        };
        match value? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name of a property, if it is written out.
    pub(super) fn property_name(&self, key: &PropertyKey<'_>, computed: bool) -> Option<String> {
        match key {
            PropertyKey::StaticIdentifier(it) => Some(it.name.as_str().into()),
            PropertyKey::StringLiteral(it) if !it.lone_surrogates => Some(it.value.as_str().into()),
            PropertyKey::NumericLiteral(it) => {
                // Whole numbers below this bound have only one usual spelling.
                (it.value.fract() == 0.0 && it.value.abs() < 1e15).then(|| it.value.to_string())
            }
            _ if computed => self.string_value(key.as_expression()?),
            _ => None,
        }
    }

    /// Reports whether every variable of a pattern is bound to a known reference when `reference`
    /// is destructured.
    pub(super) fn binds_only_known(
        &self,
        pattern: &BindingPattern<'_>,
        reference: &McpReference,
    ) -> bool {
        self.bindings(pattern, reference, &mut |_, _| {})
    }

    /// Passes the variables of a pattern to `on_binding`, each with its reference. Returns whether
    /// these are all variables of the pattern.
    fn bindings(
        &self,
        pattern: &BindingPattern<'_>,
        reference: &McpReference,
        on_binding: &mut dyn FnMut(SymbolId, &McpReference),
    ) -> bool {
        match pattern {
            BindingPattern::BindingIdentifier(it) => match it.symbol_id.get() {
                Some(symbol) if self.is_constant(symbol) => {
                    on_binding(symbol, reference);
                    true
                }
                _ => false,
            },
            BindingPattern::ObjectPattern(it) => {
                let mut all = it.rest.is_none();
                for property in &it.properties {
                    let name = self.property_name(&property.key, property.computed);
                    all &= match name.and_then(|name| member(reference.clone(), Some(&name))) {
                        Some(part) => self.bindings(&property.value, &part, on_binding),
                        None => false,
                    };
                }
                all
            }
            _ => false,
        }
    }

    fn is_constant(&self, symbol: SymbolId) -> bool {
        !self.scoping.symbol_is_mutated(symbol)
            && self.scoping.symbol_redeclarations(symbol).is_empty()
    }
}

/// Returns the reference to a property of a reference. Without a name, it is an unknown property.
fn member(object: McpReference, name: Option<&str>) -> Option<McpReference> {
    let owned = || name.map(str::to_owned);
    match (object, name) {
        (McpReference::Global, Some("mcp")) => Some(McpReference::Mcp),
        (McpReference::Mcp, Some("call")) => Some(McpReference::Call),
        (McpReference::Mcp | McpReference::Server(_), Some(name))
            if CONVERSIONS.contains(&name) =>
        {
            Some(McpReference::Harmless)
        }
        (McpReference::Mcp, _) => Some(McpReference::Server(owned())),
        (McpReference::Server(None), _) => Some(McpReference::Tool(None, None)),
        (McpReference::Server(server), _) => Some(McpReference::Tool(server, owned())),
        _ => None,
    }
}

impl<'a> Visit<'a> for ModuleVariables<'_> {
    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        for declarator in &it.declarations {
            if it.declare {
                if let BindingPattern::BindingIdentifier(id) = &declarator.id {
                    self.ambient.extend(id.symbol_id.get());
                }
                continue;
            }
            let Some(init) = &declarator.init else { continue };
            if let Some(reference) = self.resolve(init) {
                let mut found = Vec::new();
                self.bindings(&declarator.id, &reference, &mut |symbol, reference| {
                    found.push((symbol, reference.clone()));
                });
                self.references.extend(found);
            } else if let BindingPattern::BindingIdentifier(id) = &declarator.id
                && let Some(symbol) = id.symbol_id.get()
                && self.is_constant(symbol)
                && let Some(value) = literal::scalar(init)
            {
                self.constants.insert(symbol, value);
            }
        }
        walk::walk_variable_declaration(self, it);
    }
}
