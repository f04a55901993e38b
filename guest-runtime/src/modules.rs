//! The program's modules, found by name. The host has resolved every import; nothing is looked up anywhere else.

use crate::bindings::exports::pml::sandbox::program::Module as Source;
use rquickjs::{
    Ctx, Error, Function, Module, Object, Persistent, Promise, Result, Value,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    qjs,
};
use std::{cell::RefCell, collections::HashMap, ffi::CString, ptr::NonNull, rc::Rc};

/// Characters of a specifier that a message shows.
const SPECIFIER_SHOWN: usize = 200;

/// The modules of the running program by name.
#[derive(Clone, Default)]
pub(crate) struct Modules {
    named: Rc<RefCell<HashMap<String, Source>>>,
    /// `(message) → error` for an import that is refused, from the prelude.
    refusal: Rc<RefCell<Option<Persistent<Function<'static>>>>>,
}

impl Modules {
    /// Takes the function that makes the errors of refused imports.
    pub(crate) fn refuse_with<'js>(&self, ctx: &Ctx<'js>, refusal: Function<'js>) {
        self.refusal.replace(Some(Persistent::save(ctx, refusal)));
    }

    /// Throws what a program catches from a dynamic import that is refused.
    fn refuse(&self, ctx: &Ctx<'_>, message: String) -> Error {
        let maker = self.refusal.borrow().clone();
        let error = maker
            .ok_or(Error::Unknown)
            .and_then(|maker| maker.restore(ctx)?.call::<_, Value>((message,)));
        match error {
            Ok(error) => ctx.throw(error),
            Err(error) => error,
        }
    }

    /// Takes the modules of a program, and gives back its entry.
    pub(crate) fn fill(&self, modules: Vec<Source>) -> Option<Source> {
        let mut modules = modules.into_iter();
        let entry = modules.next()?;
        let mut named = self.named.borrow_mut();
        // The entry's code is compiled once, below; only its imports are asked for again.
        let imports = Source { code: String::new(), ..entry.clone() };
        named.insert(imports.name.clone(), imports);
        named.extend(modules.map(|module| (module.name.clone(), module)));
        Some(entry)
    }
}

impl Resolver for Modules {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let modules = self.named.borrow();
        let named = |list: &[(String, String)]| {
            list.iter().find(|(specifier, _)| specifier == name).map(|(_, meaning)| meaning.clone())
        };
        let importer = modules.get(base);
        if let Some(module) = importer.and_then(|importer| named(&importer.imports)) {
            return Ok(module);
        }
        let message = importer.and_then(|importer| named(&importer.refused_imports));
        drop(modules);
        Err(self.refuse(ctx, message.unwrap_or_else(|| unknown(name))))
    }
}

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let code = self.named.borrow().get(name).map(|module| module.code.clone());
        Module::declare(ctx.clone(), name, code.ok_or(Error::Unknown)?)
    }
}

/// The message about an import whose specifier the host has not seen, because the program computed it.
fn unknown(specifier: &str) -> String {
    let mut shown: String = specifier.chars().take(SPECIFIER_SHOWN).collect();
    if shown.len() < specifier.len() {
        shown.push('…');
    }
    format!(
        "import of `{shown}` is refused, what a program imports must be written out as a string"
    )
}

/// Compiles and starts the entry. Returns its namespace, and the promise of its evaluation.
///
/// QuickJS takes the number of the first line only through `JS_Eval2`, which rquickjs does not wrap, and reads 0 there as
/// "not given": a module that starts at line 0 gets one more empty line above and starts at -1.
pub(crate) fn evaluate<'js>(ctx: &Ctx<'js>, entry: Source) -> Result<(Object<'js>, Promise<'js>)> {
    let (code, line) = match entry.first_line {
        0 => (format!("\n{}", entry.code), -1),
        line => (entry.code, line as i32),
    };
    let (name, length, code) = (CString::new(entry.name)?, code.len(), CString::new(code)?);
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as i32,
        eval_flags: (qjs::JS_EVAL_TYPE_MODULE | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as i32,
        filename: name.as_ptr(),
        line_num: line,
    };
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: all pointers live until the calls return; `JS_Eval2` gives an owned value, which `JS_EvalFunction` takes
    // over; the module itself lives as long as its context.
    unsafe {
        let compiled = qjs::JS_Eval2(raw, code.as_ptr(), length as _, &mut options);
        if qjs::JS_IsException(compiled) {
            return Err(Error::Exception);
        }
        let module = NonNull::new(qjs::JS_VALUE_GET_PTR(compiled).cast()).ok_or(Error::Unknown)?;
        let done = qjs::JS_EvalFunction(raw, compiled);
        if qjs::JS_IsException(done) {
            return Err(Error::Exception);
        }
        let done = Value::from_raw(ctx.clone(), done).into_promise().ok_or(Error::Unknown)?;
        let namespace = qjs::JS_GetModuleNamespace(raw, module.as_ptr());
        let namespace = Value::from_raw(ctx.clone(), namespace);
        Ok((namespace.into_object().ok_or(Error::Exception)?, done))
    }
}
