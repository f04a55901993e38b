//! The way into a program, from the modules to the promise of its result.

use super::primordials::evaluate;
use rquickjs::{Ctx, Function, Object, Result, Value, function::Rest};
use std::cell::Cell;

thread_local! {
    static LAST_EXPRESSION: Cell<bool> = const { Cell::new(false) };
}

/// Returns `{ enter, importError, isClass }`:
/// `enter(namespace, inputs, evaluated, isBody)` gives the promise of the result,
/// `importError(message)` what a program catches from an import that is refused.
pub(crate) fn register<'js>(ctx: &Ctx<'js>, primordials: &Object<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("lastExpression", Function::new(ctx.clone(), last_expression)?)?;
    evaluate(ctx, "entry", include_str!("entry.js"))?.call((natives, primordials.clone()))
}

/// Says whether the program has given the value of its last expression, which it did not `return` itself.
pub(crate) fn has_last_expression() -> bool {
    LAST_EXPRESSION.get()
}

/// Takes the value of a function body's last expression and gives it back. `a, b` comes as two arguments.
fn last_expression<'js>(ctx: Ctx<'js>, mut values: Rest<Value<'js>>) -> Value<'js> {
    LAST_EXPRESSION.set(true);
    values.0.pop().unwrap_or_else(|| Value::new_undefined(ctx))
}

#[cfg(test)]
mod tests {
    use crate::apis::primordials::tests::with_context;
    use rquickjs::Function;

    #[test]
    fn classes_are_told_from_functions() {
        with_context(|ctx, primordials| {
            let entry = super::register(ctx, primordials)?;
            let is_class: Function = entry.get("isClass")?;
            for (code, expected) in [
                ("class A {}", true),
                ("class extends Map {}", true),
                ("class /* function */ B { static x = 1 }", true),
                ("function classes() {}", false),
                ("() => class {}", false),
                ("async function () {}", false),
                ("function* () {}", false),
                ("new Proxy(class {}, {})", false),
                ("Map", false),
                ("({ class() {} }).class", false),
            ] {
                let value: rquickjs::Value = ctx.eval(format!("({code})"))?;
                assert_eq!(is_class.call::<_, bool>((value,))?, expected, "{code}");
            }
            Ok(())
        });
    }

    #[test]
    fn the_last_of_several_values_is_the_last_expression() {
        with_context(|ctx, primordials| {
            super::register(ctx, primordials)?;
            let last = Function::new(ctx.clone(), super::last_expression)?;
            assert!(!super::has_last_expression());
            assert_eq!(last.call::<_, i32>((1, 2))?, 2);
            assert!(super::has_last_expression());
            Ok(())
        });
    }
}
