//! Finds the statements that have no meaning at run time.

use oxc::ast::ast::{
    Declaration, ExportDefaultDeclarationKind, Statement, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody,
};

/// Reports whether a statement exists only for types.
pub(in super::super) fn is_erased(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ImportDeclaration(it) => it.import_kind.is_type(),
        Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportFromDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportNamedDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportDeclaration(it) => is_erased_declaration(&it.declaration),
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => function.body.is_none(),
            _ => false,
        },
        _ => statement.as_declaration().is_some_and(is_erased_declaration),
    }
}

fn is_erased_declaration(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || has_only_types(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
    }
}

fn has_only_types(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    match &namespace.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => has_only_types(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block.body.iter().all(|statement| {
            is_erased(statement) || matches!(statement, Statement::EmptyStatement(_))
        }),
    }
}
