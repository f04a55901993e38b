//! The program's modules, found by name. The host has resolved every import; nothing is looked up anywhere else.

use crate::bindings::exports::pml::sandbox::program::Module as Source;
use rquickjs::{
    Ctx, Error, Exception, Module, Object, Promise, Result, Value,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
    qjs,
};
use std::{cell::RefCell, collections::HashMap, ffi::CString, ptr::NonNull, rc::Rc};

/// The modules of the running program by name.
#[derive(Clone, Default)]
pub(crate) struct Modules(Rc<RefCell<HashMap<String, Source>>>);

impl Modules {
    /// Takes the modules of a program, and gives back its entry.
    pub(crate) fn fill(&self, modules: Vec<Source>) -> Option<Source> {
        let mut modules = modules.into_iter();
        let entry = modules.next()?;
        let mut named = self.0.borrow_mut();
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
        let modules = self.0.borrow();
        let imports = modules.get(base).map(|module| module.imports.as_slice()).unwrap_or_default();
        match imports.iter().find(|(specifier, _)| specifier == name) {
            Some((_, module)) => Ok(module.clone()),
            None => Err(Exception::throw_type(ctx, &format!("cannot import `{name}`"))),
        }
    }
}

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let code = self.0.borrow().get(name).map(|module| module.code.clone());
        Module::declare(ctx.clone(), name, code.ok_or(Error::Unknown)?)
    }
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
