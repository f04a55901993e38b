//! A TypeScript type before it is written as text.

/// A TypeScript type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Any value. A note gives the reason, if something was cut off.
    Unknown(Option<&'static str>),
    /// No value.
    Never,
    /// A keyword, a literal, or the name of a type.
    Word(String),
    /// A list of one type.
    Array(Box<Type>),
    /// A list with a type for each position, and a type for the rest.
    Tuple(Vec<TupleElement>, Option<Box<Type>>),
    /// An object with fields, and a type for all other keys.
    Object(Vec<ObjectField>, Option<Box<Type>>),
    /// A union of two or more types.
    Union(Vec<Type>),
    /// An intersection of two or more types.
    Intersection(Vec<Type>),
}

/// One element of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TupleElement {
    pub(super) kind: Type,
    pub(super) presence: FieldPresence,
}

/// One field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectField {
    /// The name in the schema, not quoted yet.
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) presence: FieldPresence,
    /// The description, ready for a comment.
    pub(super) note: Option<String>,
}

/// Whether a field or element is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldPresence {
    Required,
    Optional,
}

impl Type {
    /// Returns the type of a keyword, a literal or a name.
    pub(super) fn word(text: impl Into<String>) -> Type {
        Type::Word(text.into())
    }

    /// Returns an object with any keys and values.
    pub(super) fn any_object() -> Type {
        Type::Object(Vec::new(), Some(Box::new(Type::Unknown(None))))
    }

    /// Reports whether the type gives a reader no information.
    pub(super) fn is_uninformative(&self) -> bool {
        match self {
            Type::Unknown(_) => true,
            Type::Object(fields, Some(index)) => fields.is_empty() && index.is_uninformative(),
            _ => false,
        }
    }

    /// Returns the union of types.
    pub(super) fn union(members: impl IntoIterator<Item = Type>) -> Type {
        let mut flat: Vec<Type> = Vec::new();
        for member in members {
            match member {
                Type::Unknown(note) => return Type::Unknown(note),
                Type::Never => {}
                Type::Union(inner) => {
                    inner.into_iter().for_each(|one| push_unique(&mut flat, one));
                }
                one => push_unique(&mut flat, one),
            }
        }
        match flat.len() {
            0 => Type::Never,
            1 => flat.remove(0),
            _ => Type::Union(flat),
        }
    }

    /// Returns the intersection of types.
    pub(super) fn intersection(members: impl IntoIterator<Item = Type>) -> Type {
        let mut flat: Vec<Type> = Vec::new();
        let mut note = None;
        for member in members {
            match member {
                Type::Unknown(why) => note = note.or(why),
                Type::Never => return Type::Never,
                Type::Intersection(inner) => {
                    inner.into_iter().for_each(|one| push_unique(&mut flat, one))
                }
                one => push_unique(&mut flat, one),
            }
        }
        let mut flat = merge_objects(flat);
        match flat.len() {
            0 => Type::Unknown(note),
            1 => flat.remove(0),
            _ => Type::Intersection(flat),
        }
    }
}

fn push_unique(types: &mut Vec<Type>, one: Type) {
    if !types.contains(&one) {
        types.push(one);
    }
}

/// Merges objects that have no field in common: one object reads better than `{ a } & { b }`.
fn merge_objects(types: Vec<Type>) -> Vec<Type> {
    let mut merged: Vec<Type> = Vec::new();
    for one in types {
        match (one, merged.last_mut()) {
            (Type::Object(fields, None), Some(Type::Object(before, None)))
                if fields.iter().all(|field| before.iter().all(|it| it.name != field.name)) =>
            {
                before.extend(fields);
            }
            (one, _) => merged.push(one),
        }
    }
    merged
}
