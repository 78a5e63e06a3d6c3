//! Repairs page trees: the pages that readers show become the pages of a regular tree.
//!
//! Readers walk the tree from its root, and take each node without `Kids` for a page. They accept nodes that are direct
//! objects, nodes with a wrong type, pages that occur several times, loops, and a wrong `Count` or `Parent`. The
//! libraries that read the document after this module do not agree on such trees, so [`repair`] replaces an irregular
//! tree by a single node with all pages.

use crate::{EngineError, Limits};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The attributes that a page inherits from the nodes above it.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// A tree deeper than this is replaced by a single node, because other code limits the depth.
const MAX_REGULAR_DEPTH: usize = 40;

/// The attributes that a page inherits, in the order of [`INHERITED`]. They are shared: a direct dictionary of
/// resources can be large, and many pages can inherit it.
type Inherited = [Option<Rc<Object>>; 4];

/// A page as the walk found it.
struct Found {
    page: Node,
    inherited: Inherited,
}

/// A node of the tree: an indirect object, or a direct one.
#[derive(Clone)]
enum Node {
    Indirect(ObjectId),
    Direct(Dictionary),
}

/// The pages below a node, and what is wrong with the tree.
#[derive(Default)]
struct Walk {
    pages: Vec<Found>,
    /// Whether libraries may disagree on the pages of the tree.
    irregular: bool,
    /// Whether an entry `Parent` does not lead to the node above.
    unlinked: bool,
    /// The number of entries of `Kids` that lead to no node.
    lost: usize,
}

/// What [`repair`] did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Repaired {
    /// Whether the tree was replaced.
    pub(super) replaced: bool,
    /// Whether the tree had other faults than missing or wrong entries `Parent`.
    pub(super) irregular: bool,
    /// The number of pages that the tree refers to but that do not exist.
    pub(super) lost: usize,
    /// The number of pages.
    pub(super) pages: usize,
}

/// The number of pages of the tree of the catalog `root`. Zero if the catalog has no page tree.
pub(super) fn count(document: &Document, root: ObjectId, limits: &Limits) -> usize {
    let Ok(catalog) = document.get_dictionary(root) else { return 0 };
    let tree = catalog.get(b"Pages").ok().and_then(|tree| node(document, tree));
    tree.map_or(0, |tree| pages_below(document, tree, limits))
}

/// The number of pages below a node of the tree.
pub(super) fn count_from(document: &Document, tree: ObjectId, limits: &Limits) -> usize {
    pages_below(document, Node::Indirect(tree), limits)
}

fn pages_below(document: &Document, tree: Node, limits: &Limits) -> usize {
    walk(document, tree, limits).map_or(limits.pages, |walk| walk.pages.len())
}

/// Replaces the page tree of the document's catalog by a regular one, if it is irregular. If nothing but entries
/// `Parent` is missing or wrong, the tree is replaced only if `link` is true.
///
/// # Errors
/// [`EngineError::Limit`] if the document has too many pages.
pub(super) fn repair(document: &mut Document, link: bool, limits: &Limits) -> Result<Repaired, EngineError> {
    let tree = document.catalog().and_then(|catalog| catalog.get(b"Pages")).ok();
    let Some(tree) = tree.and_then(|tree| node(document, tree)) else { return Ok(Repaired::default()) };
    let walk = walk(document, tree, limits)?;
    let (lost, pages) = (walk.lost, walk.pages.len());
    let irregular = (walk.irregular || lost > 0) && pages > 0;
    let replaced = irregular || walk.unlinked && link && pages > 0;
    if replaced {
        replace(document, walk.pages);
    }
    Ok(Repaired { replaced, irregular, lost, pages })
}

/// Puts the pages below a new root.
fn replace(document: &mut Document, pages: Vec<Found>) {
    let tree = document.new_object_id();
    let mut seen = HashSet::new();
    let mut kids = Vec::with_capacity(pages.len());
    let mut shared: HashMap<*const Object, ObjectId> = HashMap::new();
    for Found { page, inherited } in pages {
        let (own, mut page) = match page {
            Node::Indirect(id) => {
                let Ok(dict) = document.get_dictionary(id) else { continue };
                (Some(id).filter(|id| seen.insert(*id)), dict.clone())
            }
            Node::Direct(dict) => (None, dict),
        };
        for (key, value) in INHERITED.into_iter().zip(&inherited) {
            if let Some(value) = value
                && !page.get(key).is_ok_and(|own| !own.is_null())
            {
                page.set(key, attribute(document, value, &mut shared));
            }
        }
        page.remove(b"Kids");
        page.set("Type", "Page");
        page.set("Parent", tree);
        let id = match own {
            Some(id) => {
                document.objects.insert(id, page.into());
                id
            }
            // A page that occurs for a second time becomes a page of its own.
            None => document.add_object(page),
        };
        kids.push(Object::Reference(id));
    }
    let count = i64::try_from(kids.len()).unwrap_or(i64::MAX);
    document.objects.insert(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Pages", tree);
    }
}

/// An inherited attribute as the value of a page: a dictionary becomes one indirect object for all pages.
fn attribute(
    document: &mut Document,
    value: &Rc<Object>,
    shared: &mut HashMap<*const Object, ObjectId>,
) -> Object {
    match &**value {
        Object::Dictionary(_) => {
            let id =
                shared.entry(Rc::as_ptr(value)).or_insert_with(|| document.add_object((**value).clone()));
            Object::Reference(*id)
        }
        other => other.clone(),
    }
}

/// The node that an object is or refers to, also through several references.
fn node(document: &Document, object: &Object) -> Option<Node> {
    match document.dereference(object).ok()? {
        (Some(id), Object::Dictionary(_)) => Some(Node::Indirect(id)),
        (None, Object::Dictionary(direct)) => Some(Node::Direct(direct.clone())),
        _ => None,
    }
}

fn walk(document: &Document, tree: Node, limits: &Limits) -> Result<Walk, EngineError> {
    let mut walk = Walk::default();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    let mut waiting = vec![(tree, None, 0_usize, Inherited::default())];
    while let Some((node, parent, depth, inherited)) = waiting.pop() {
        let (id, dict) = match &node {
            Node::Indirect(id) => match document.get_dictionary(*id) {
                Ok(dict) => (Some(*id), dict),
                Err(_) => continue,
            },
            Node::Direct(dict) => (None, dict),
        };
        let again = id.is_some_and(|id| !seen.insert(id));
        let named = dict.get(b"Parent").and_then(Object::as_reference).ok();
        walk.irregular |= again || id.is_none() || depth > MAX_REGULAR_DEPTH;
        walk.unlinked |= named != parent;
        let Some(kids) = kids(document, dict) else {
            walk.irregular |= depth == 0 || dict.has_type(b"Pages") || dict.has(b"Kids");
            if depth > 0 || dict.has_type(b"Page") {
                walk.pages.push(Found { page: node, inherited });
            }
            if walk.pages.len() > limits.pages {
                return Err(EngineError::limit("pages", limits.pages.to_string()));
            }
            continue;
        };
        // A node with kids that occurs again is a loop, or would multiply its pages without limit.
        if again {
            continue;
        }
        let in_array = dict.get_deref(b"Kids", document).is_ok_and(|kids| kids.as_array().is_ok());
        walk.irregular |= !in_array || !dict.has_type(b"Pages");
        let inherited = with_attributes(document, dict, inherited);
        for kid in kids.iter().rev() {
            match self::node(document, kid) {
                Some(kid) => waiting.push((kid, id, depth + 1, inherited.clone())),
                None => walk.lost += 1,
            }
        }
    }
    Ok(walk)
}

/// The kids of a node; `None` if the node is a page. A dictionary of the type `Page` with contents is a page, even if
/// it has kids.
fn kids<'a>(document: &'a Document, dict: &'a Dictionary) -> Option<&'a [Object]> {
    if dict.has_type(b"Page") && dict.has(b"Contents") {
        return None;
    }
    let kids = dict.get(b"Kids").ok()?;
    match document.dereference(kids).ok()?.1 {
        Object::Array(kids) => Some(kids),
        // Some writers leave out the array around a single kid.
        Object::Dictionary(_) => Some(std::slice::from_ref(kids)),
        _ => None,
    }
}

/// The inherited attributes together with those of a node.
fn with_attributes(document: &Document, dict: &Dictionary, mut inherited: Inherited) -> Inherited {
    for (key, attribute) in INHERITED.into_iter().zip(&mut inherited) {
        if let Ok(value) = dict.get(key)
            && document.dereference(value).is_ok_and(|(_, value)| !value.is_null())
        {
            *attribute = Some(Rc::new(value.clone()));
        }
    }
    inherited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{inherited, pages};

    /// A document with these objects, numbered from 1. The catalog is object 1.
    fn with(objects: Vec<Dictionary>) -> Document {
        let mut document = Document::with_version("1.4");
        for object in objects {
            document.add_object(object);
        }
        document.trailer.set("Root", Object::Reference((1, 0)));
        document
    }

    fn to(number: u32) -> Object {
        Object::Reference((number, 0))
    }

    fn catalog() -> Dictionary {
        dictionary! { "Type" => "Catalog", "Pages" => to(2) }
    }

    fn page() -> Dictionary {
        dictionary! { "Type" => "Page", "Parent" => to(2) }
    }

    fn tree(kids: Vec<Object>) -> Dictionary {
        let media = vec![0.into(), 0.into(), 9.into(), 9.into()];
        dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => 1, "MediaBox" => media }
    }

    fn repaired(objects: Vec<Dictionary>) -> (Repaired, usize) {
        let limits = Limits::default();
        let mut document = with(objects);
        let done = repair(&mut document, true, &limits).unwrap();
        let pages = pages(&document, &limits).unwrap();
        for page in &pages {
            assert!(inherited(&document, *page, b"MediaBox").is_some(), "{document:?}");
        }
        assert!(!repair(&mut document, true, &limits).unwrap().replaced);
        (done, pages.len())
    }

    #[test]
    fn a_regular_tree_stays() {
        let (done, pages) = repaired(vec![catalog(), tree(vec![to(3)]), page()]);
        assert_eq!((done, pages), (Repaired { pages: 1, ..Repaired::default() }, 1));
    }

    #[test]
    fn irregular_trees_become_regular() {
        let direct = dictionary! { "Type" => "Page" };
        let loops = dictionary! { "Type" => "Pages", "Parent" => to(2), "Kids" => vec![to(2), to(4), to(5)] };
        let no_type = dictionary! { "Parent" => to(2), "Kids" => vec![to(4)] };
        let other_type = dictionary! { "Type" => "Pages", "Parent" => to(2) };
        let kid_alone = dictionary! { "Type" => "Pages", "Kids" => to(3), "MediaBox" => vec![1.into()] };
        for (objects, expected) in [
            (vec![catalog(), tree(vec![to(3), to(3)]), page()], 2),
            (vec![catalog(), tree(vec![to(3), Object::Dictionary(direct)]), page()], 2),
            (vec![catalog(), tree(vec![to(3), to(4)]), loops.clone(), page()], 2),
            (vec![catalog(), tree(vec![to(3)]), no_type, page()], 1),
            (vec![catalog(), tree(vec![to(3)]), other_type], 1),
            (vec![catalog(), kid_alone, page()], 1),
            (vec![catalog(), tree(vec![to(3), to(99), Object::Null]), page()], 1),
        ] {
            let (done, pages) = repaired(objects.clone());
            assert!(done.replaced, "{objects:?}");
            assert_eq!((done.pages, pages), (expected, expected), "{objects:?}");
        }
    }

    #[test]
    fn pages_share_the_resources_that_they_inherit() {
        let mut root = tree(vec![to(3), to(4), Object::Dictionary(dictionary! { "Type" => "Page" })]);
        root.set("Resources", dictionary! { "Font" => dictionary! {} });
        let mut document = with(vec![catalog(), root, page(), page()]);
        let limits = Limits::default();
        assert!(repair(&mut document, true, &limits).unwrap().replaced);
        let resources: HashSet<ObjectId> = pages(&document, &limits)
            .unwrap()
            .into_iter()
            .map(|page| {
                document
                    .get_dictionary(page)
                    .unwrap()
                    .get(b"Resources")
                    .and_then(Object::as_reference)
                    .unwrap()
            })
            .collect();
        assert_eq!(resources.len(), 1);
    }

    #[test]
    fn missing_parents_are_set_only_if_the_document_may_change() {
        let objects = vec![catalog(), tree(vec![to(3)]), dictionary! { "Type" => "Page" }];
        let unchanged = repair(&mut with(objects.clone()), false, &Limits::default()).unwrap();
        assert!(!unchanged.replaced && !unchanged.irregular);
        assert!(repaired(objects).0.replaced);
    }

    #[test]
    fn a_page_in_place_of_the_tree_is_a_page() {
        let alone = dictionary! { "Type" => "Page", "MediaBox" => vec![1.into()] };
        assert_eq!(repaired(vec![catalog(), alone]).1, 1);
    }

    #[test]
    fn deep_trees_become_flat_and_pages_are_limited() {
        let mut objects = vec![catalog(), tree(vec![to(3)])];
        for number in 3..2000_u32 {
            let kids = vec![to(number + 1)];
            objects.push(dictionary! { "Type" => "Pages", "Parent" => to(number - 1), "Kids" => kids });
        }
        objects.push(dictionary! { "Type" => "Page", "Parent" => to(1999) });
        assert_eq!(repaired(objects).1, 1);
        let mut many = with(vec![catalog(), tree(vec![to(3); 50]), page()]);
        let limits = Limits { pages: 49, ..Limits::default() };
        assert!(repair(&mut many, true, &limits).is_err());
    }
}
