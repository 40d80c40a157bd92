//! The metas of a page's head by html5ever's tree, and how they differ from our scanner's.
//!
//! html5ever builds the tree of the whole document, as browsers do, with scripting on or off. A meta
//! counts where its parent is the head, or a `noscript` in the head: those in templates and in the body have
//! other parents. With scripting on a `noscript` holds text; html5gum finds the metas in it, of which nothing ends the
//! head (RULES TAG-20). The sink below keeps parents and that text only, because the tests ask the tree for nothing else.
//!
//! A difference is either on the list [`Difference`], with a test for exactly that one, or it
//! is an error.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use crawlprefs::evidence::html_head::{HtmlHeadEnd, head_fields};
use crawlprefs::web::field::Carrier;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{
    Attribute, ExpandedName, LocalName, ParseOpts, QualName, expanded_name, local_name, ns,
    parse_document,
};
use html5gum::{StartTag, State, Token, Tokenizer};

/// Which attribute names a meta, that name, and the content.
pub type Found = (Carrier, String, String);

/// In what our scanner differs by decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Ours: a name with blanks around it is still meant, so they are taken off.
    NameWithBlanks,
    /// A name that is nothing but blanks is none once they are off.
    BlankName,
}

/// How many metas were compared, and the differences among them.
#[derive(Debug, Default)]
pub struct Agreement {
    pub metas: usize,
    pub differences: BTreeMap<Difference, usize>,
}

impl Agreement {
    fn count(&mut self, difference: Difference) {
        *self.differences.entry(difference).or_default() += 1;
    }

    /// Adds what another page gave.
    pub fn add(&mut self, other: &Self) {
        self.metas += other.metas;
        for (difference, times) in &other.differences {
            *self.differences.entry(*difference).or_default() += times;
        }
    }
}

/// Returns the metas that our scanner reads; bytes that are not UTF-8 as U+FFFD.
pub fn scanned(html: &[u8]) -> Vec<Found> {
    scanned_as(html, &|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Returns the metas that our scanner reads, as the text that `decode` makes of each value.
pub fn scanned_as(html: &[u8], decode: &dyn Fn(&[u8]) -> String) -> Vec<Found> {
    let mut found = Vec::new();
    head_fields(html, &mut |carrier, name, value| {
        if matches!(carrier, Carrier::Meta | Carrier::HttpEquiv) {
            found.push((carrier, decode(name), decode(value)));
        }
        ControlFlow::Continue(())
    });
    found
}

/// Returns the metas of the tree's head that have a name or an http-equiv, as they are written, and those of its
/// `noscript` elements.
pub fn in_tree(html: &str) -> Vec<Found> {
    let elements = elements(html, true);
    let in_head = elements
        .iter()
        .filter(|element| element.is_in(&expanded_name!(html "head")));
    let found = in_head.flat_map(|element| match &*element.text.borrow() {
        text if element.is(&expanded_name!(html "noscript")) => in_noscript(text),
        _ => element.found().collect(),
    });
    found.collect()
}

/// Returns the metas that the tree's head has without scripting, and those of its `noscript` elements.
fn in_tree_without_scripting(html: &str) -> Vec<Found> {
    let (head, noscript) = (expanded_name!(html "head"), expanded_name!(html "noscript"));
    let is_in_head = |meta: &&Rc<Node>| {
        let parent = meta.parent.borrow();
        let in_noscript = parent
            .as_ref()
            .is_some_and(|parent| parent.is(&noscript) && parent.is_in(&head));
        meta.is_in(&head) || in_noscript
    };
    let elements = elements(html, false);
    let metas = elements
        .iter()
        .filter(|element| element.is(&expanded_name!(html "meta")));
    metas
        .filter(is_in_head)
        .flat_map(|meta| meta.found())
        .collect()
}

/// RULES TAG-20: no meta that a client without scripting finds in the head is lost without a mark. Returns how many
/// there are.
pub fn none_is_lost(html: &str) -> Result<usize, String> {
    let end = head_fields(html.as_bytes(), &mut |_, _, _| ControlFlow::Continue(()));
    if end == HtmlHeadEnd::Doubtful {
        return Ok(0);
    }
    let ours = scanned(html.as_bytes());
    let mut ours = ours.iter();
    let tree = in_tree_without_scripting(html);
    for (key, name, content) in tree
        .iter()
        .filter(|(_, name, _)| !name.trim_ascii().is_empty())
    {
        let is_it = |(our_key, our_name, our_content): &(_, String, String)| {
            (our_key, our_name.as_str(), our_content) == (key, name.trim_ascii(), content)
        };
        if !ours.any(is_it) {
            return Err(format!("lost without scripting: {key:?} {name} {content}"));
        }
    }
    Ok(tree.len())
}

/// Returns the metas and `noscript` elements of the tree.
fn elements(html: &str, scripting_enabled: bool) -> Vec<Rc<Node>> {
    // html5ever drops a U+FEFF behind every script and every charset too, where it is text.
    let html = html.strip_prefix('\u{FEFF}').unwrap_or(html);
    let opts = ParseOpts {
        tokenizer: TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        },
        tree_builder: TreeBuilderOpts {
            scripting_enabled,
            ..TreeBuilderOpts::default()
        },
    };
    parse_document(Parents::default(), opts).one(html)
}

/// HTML, "Parsing elements that contain only text", and the elements of "in body" that do.
fn text_state(name: &[u8]) -> Option<State> {
    match name {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}

/// Returns the metas that are written in a `noscript` outside of templates.
pub fn in_noscript(text: &str) -> Vec<Found> {
    let mut tokenizer = Tokenizer::new(text);
    let (mut found, mut open_templates) = (Vec::new(), 0_usize);
    while let Some(Ok(token)) = tokenizer.next() {
        match token {
            Token::StartTag(tag) => {
                if open_templates == 0 && tag.name.as_slice() == b"meta" {
                    found.extend(named(&tag));
                }
                open_templates += usize::from(tag.name.as_slice() == b"template");
                if let Some(state) = text_state(&tag.name) {
                    tokenizer.set_state(state);
                }
            }
            Token::EndTag(tag) if tag.name.as_slice() == b"template" => {
                open_templates = open_templates.saturating_sub(1);
            }
            Token::EndTag(_)
            | Token::String(_)
            | Token::Comment(_)
            | Token::Doctype(_)
            | Token::Error(_) => {}
        }
    }
    found
}

/// READ-22: a meta with `value` in place of its content is read like one behind the head.
fn is_value_alone(has_content: bool, has_value: bool) -> bool {
    has_value && !has_content
}

fn named(meta: &StartTag<()>) -> impl Iterator<Item = Found> {
    let value = |name: &[u8]| {
        let value = meta.attributes.get(name).map(|value| value.as_slice());
        String::from_utf8_lossy(value.unwrap_or_default()).into_owned()
    };
    let content = value(b"content");
    let keys = [
        (Carrier::Meta, value(b"name")),
        (Carrier::HttpEquiv, value(b"http-equiv")),
    ];
    let has = |name: &[u8]| meta.attributes.contains_key(name);
    let is_of_head = !is_value_alone(has(b"content"), has(b"value"));
    let keys = keys
        .into_iter()
        .filter(move |(_, name)| !name.is_empty() && is_of_head);
    keys.map(move |(key, name)| (key, name, content.clone()))
}

/// Compares what our scanner reads of a page with what html5ever's tree has.
pub fn compare(scanned: &[Found], in_tree: &[Found]) -> Result<Agreement, String> {
    let mut agreement = Agreement {
        metas: in_tree.len(),
        ..Agreement::default()
    };
    let mut ours = scanned.iter();
    for (key, written_name, content) in in_tree {
        let name = written_name.trim_ascii();
        if name.is_empty() {
            agreement.count(Difference::BlankName);
            continue;
        }
        if name != written_name {
            agreement.count(Difference::NameWithBlanks);
        }
        let Some((our_key, our_name, our_content)) = ours.next() else {
            return Err(format!("missing: {key:?} {name:?} {content:?}"));
        };
        if our_key != key || our_name != name || our_content != content {
            let ours = (our_key, our_name, our_content);
            return Err(format!("{ours:?}, expected {:?}", (key, name, content)));
        }
    }
    ours.next().map_or(Ok(agreement), |more| {
        Err(format!("not in the tree: {more:?}"))
    })
}

/// A node of the tree: what it is and where it hangs.
#[derive(Debug)]
struct Node {
    name: QualName,
    attributes: Vec<Attribute>,
    parent: RefCell<Option<Rc<Self>>>,
    /// Of a `noscript`.
    text: RefCell<String>,
    /// Of a template: the fragment that holds what is written in it.
    contents: Option<Rc<Self>>,
}

impl Node {
    /// A node that is not an element: a document, a fragment, a comment.
    fn nameless() -> Rc<Self> {
        Self::element(
            QualName::new(None, ns!(), local_name!("")),
            Vec::new(),
            None,
        )
    }

    fn element(name: QualName, attributes: Vec<Attribute>, contents: Option<Rc<Self>>) -> Rc<Self> {
        Rc::new(Self {
            name,
            attributes,
            parent: RefCell::default(),
            text: RefCell::default(),
            contents,
        })
    }

    fn is(&self, name: &ExpandedName<'_>) -> bool {
        self.name.expanded() == *name
    }

    fn is_in(&self, name: &ExpandedName<'_>) -> bool {
        self.parent
            .borrow()
            .as_ref()
            .is_some_and(|parent| parent.is(name))
    }

    fn attribute(&self, name: &LocalName) -> String {
        let found = self
            .attributes
            .iter()
            .find(|attribute| attribute.name.local == *name);
        found.map_or_else(String::new, |attribute| attribute.value.to_string())
    }

    fn found(&self) -> impl Iterator<Item = Found> {
        let keys = [
            (Carrier::Meta, self.attribute(&local_name!("name"))),
            (
                Carrier::HttpEquiv,
                self.attribute(&local_name!("http-equiv")),
            ),
        ];
        let content = self.attribute(&local_name!("content"));
        let has = |name: &LocalName| {
            self.attributes
                .iter()
                .any(|attribute| attribute.name.local == *name)
        };
        let is_of_head = !is_value_alone(has(&local_name!("content")), has(&local_name!("value")));
        let named = keys
            .into_iter()
            .filter(move |(_, name)| !name.is_empty() && is_of_head);
        named.map(move |(key, name)| (key, name, content.clone()))
    }
}

/// A sink that knows each node's parent, and the metas and `noscript` elements in the order in which they were made.
///
/// A head's children are never moved and only appended to, so that is their order in it.
struct Parents {
    document: Rc<Node>,
    elements: RefCell<Vec<Rc<Node>>>,
}

impl Default for Parents {
    fn default() -> Self {
        Self {
            document: Node::nameless(),
            elements: RefCell::default(),
        }
    }
}

fn hang(child: NodeOrText<Rc<Node>>, parent: Option<Rc<Node>>) {
    match child {
        NodeOrText::AppendNode(node) => *node.parent.borrow_mut() = parent,
        NodeOrText::AppendText(text) => {
            if let Some(parent) =
                parent.filter(|parent| parent.is(&expanded_name!(html "noscript")))
            {
                parent.text.borrow_mut().push_str(&text);
            }
        }
    }
}

impl TreeSink for Parents {
    type Handle = Rc<Node>;
    type Output = Vec<Rc<Node>>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self::Output {
        self.elements.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<Node> {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Rc<Node> {
        let is_kept = [expanded_name!(html "meta"), expanded_name!(html "noscript")]
            .contains(&name.expanded());
        let node = Node::element(name, attributes, flags.template.then(Node::nameless));
        if is_kept {
            self.elements.borrow_mut().push(Rc::clone(&node));
        }
        node
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Node> {
        Node::nameless()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Node> {
        Node::nameless()
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        hang(child, Some(Rc::clone(parent)));
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<Node>,
        previous: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        let parent = element.parent.borrow().clone();
        hang(child, parent.or_else(|| Some(Rc::clone(previous))));
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Rc<Node>) -> Rc<Node> {
        target.contents.clone().expect("a template has contents")
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Rc<Node>, node: NodeOrText<Rc<Node>>) {
        hang(node, sibling.parent.borrow().clone());
    }

    /// Only for `html` and `body`, whose attributes are not asked for.
    fn add_attrs_if_missing(&self, _: &Rc<Node>, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Rc<Node>) {
        target.parent.borrow_mut().take();
    }

    /// Only for misnested elements of a body: what is moved comes from outside the head and
    /// stays there, so it can keep its parent.
    fn reparent_children(&self, _: &Rc<Node>, _: &Rc<Node>) {}
}
