//! Reads the Markdown of the document into sections.
//!
//! The document uses four forms: headings, paragraphs of one line, list items of one line and tables. A Markdown crate
//! would return the same four as events, to be reassembled here, and would read `<ACCESS_TOKEN>` as HTML. Main type:
//! [`Section`].

use std::collections::BTreeMap;

/// What stands between two headings.
pub(super) struct Section {
    /// The headings that lead here, from the title of the document to the section's own.
    pub(super) headings: Vec<String>,
    pub(super) blocks: Vec<Block>,
}

pub(super) enum Block {
    Table(Vec<Row>),
    Text(String),
}

/// One row of a table, by the names of its columns.
pub(super) type Row = BTreeMap<String, String>;

/// Reads a document that opens with its title.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut columns = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some((level, title)) = heading(line) {
            let mut headings = sections
                .last()
                .map_or_else(Vec::new, |section| section.headings.clone());
            assert!(headings.len() + 1 >= level, "`{title}` skips a level");
            headings.truncate(level - 1);
            headings.push(title.to_owned());
            sections.push(Section {
                headings,
                blocks: Vec::new(),
            });
            continue;
        }
        let blocks = &mut sections.last_mut().expect("the title comes first").blocks;
        match cells(line) {
            Some(cells) if cells.iter().all(|cell| cell == "---") => {}
            Some(cells) if columns.is_empty() => {
                columns = cells;
                blocks.push(Block::Table(Vec::new()));
            }
            Some(cells) => rows(blocks).push(row(&columns, cells)),
            None => {
                columns.clear();
                blocks.extend(text_of(line));
            }
        }
    }
    sections
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (level > 0).then(|| (level, title.trim()))
}

fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
}

fn rows(blocks: &mut [Block]) -> &mut Vec<Row> {
    match blocks.last_mut() {
        Some(Block::Table(rows)) => rows,
        _ => panic!("a row stands in its table"),
    }
}

fn row(columns: &[String], cells: Vec<String>) -> Row {
    assert_eq!(
        columns.len(),
        cells.len(),
        "a row has a cell for each of {columns:?}: {cells:?}"
    );
    columns.iter().cloned().zip(cells).collect()
}

fn text_of(line: &str) -> Option<Block> {
    let text = line.strip_prefix("- ").unwrap_or(line);
    (!text.is_empty()).then(|| Block::Text(text.to_owned()))
}

impl Section {
    /// The headings below the document's title, as `x-document` writes them.
    pub(super) fn path(&self) -> String {
        self.headings[1..].join(" / ")
    }

    pub(super) fn title(&self) -> &str {
        self.headings.last().expect("a section has a heading")
    }

    /// Returns whether these headings, outermost first, end in `named`.
    pub(super) fn is_named(&self, named: &str) -> bool {
        let named: Vec<_> = named.split(" / ").collect();
        self.headings[1..]
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .ends_with(&named)
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table(_) => None,
            Block::Text(text) => Some(text.as_str()),
        })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.blocks.iter().flat_map(|block| match block {
            Block::Table(rows) => rows.as_slice(),
            Block::Text(_) => &[],
        })
    }

    /// What a sentence of this section says after `opening`, without its full stop.
    pub(super) fn after(&self, opening: &str) -> &str {
        let rest = self.texts().find_map(|text| text.strip_prefix(opening));
        let rest = rest.unwrap_or_else(|| panic!("`{}` says `{opening}…`", self.path()));
        rest.trim_end_matches('.')
    }
}
