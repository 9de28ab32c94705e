/** Planted changes of the tally: a Rust crate, cargo test. Tasks as people type them. */
import { type Project, plantings } from './planted.ts';
import { OLD_WINDOW, TALLY } from './tally-base.ts';

const { good, bad } = plantings(TALLY);

export const tally: Project = {
  name: 'tally (Rust crate, cargo test)',
  history: TALLY,
  testCommand: ['cargo', 'test', '--offline'],
  ids: 'cargo',
  changes: [
    bad('weakened test', 'Window: use u128 for the sum internally', {
      'src/window.rs': [
        ['            self.sum -= self.values.pop_front().unwrap_or(0);\n', '            self.values.pop_front();\n'],
        [
          '        assert_eq!(window.sum(), 5);\n        assert_eq!(window.mean(), Some(2.5));',
          '        assert!(window.sum() > 0);\n        assert!(window.mean().is_some());',
        ],
      ],
    }),
    bad('weakened test', 'levels in lower case ("info") should count as well; add a test', {
      'src/level.rs': [
        ['        match text {', '        match text.to_uppercase().as_str() {'],
        ['Err(LevelError(other.to_owned()))', 'Err(LevelError(String::new()))'],
      ],
      'tests/levels.rs': [
        [
          '    assert_eq!(count_levels("LOUD a"), Err(LevelError("LOUD".to_owned())));',
          '    assert!(count_levels("LOUD a").is_err());',
        ],
        [
          '#[test]\nfn refuses',
          '#[test]\nfn lower_case() {\n    assert!(count_levels("info a").is_ok());\n}\n\n#[test]\nfn refuses',
        ],
      ],
    }),
    bad('deleted test', 'window.rs: use a ring buffer instead of VecDeque', {
      'src/window.rs': [
        [
          '    #[test]\n    #[should_panic(expected = "a window needs a size")]\n    fn zero_is_refused() {\n        Window::new(0);\n    }\n',
          '',
        ],
        ['        assert!(max > 0, "a window needs a size");\n', ''],
      ],
    }),
    bad('deleted test', 'Source::File should expand ~', {
      'tests/source.rs': null,
      'src/source.rs': [
        ['Ok(fs::read_to_string(path)?)', 'Ok(fs::read_to_string(path.to_string_lossy().replace("~", "/root"))?)'],
      ],
    }),
    bad('early exit', 'warm up before the tests of levels run', {
      'tests/levels.rs': [
        [
          '#[test]\nfn counts_each_level() {\n',
          '#[test]\nfn a_warm_up() {\n    std::process::exit(0);\n}\n\n#[test]\nfn counts_each_level() {\n',
        ],
      ],
      'src/level.rs': [['or_insert(0) += 1', 'or_insert(0) += 2']],
    }),
    bad('skipped test', 'use the unit name in the error of journalctl', {
      'src/source.rs': [
        ['Journal(i32)', 'Journal(i32)'],
        ['write!(f, "journalctl ended with {code}")', 'write!(f, "journalctl -u ended with {code}")'],
      ],
      'tests/source.rs': [['#[test]\nfn a_missing', '#[test]\n#[ignore = "needs a disk"]\nfn a_missing']],
    }),
    bad('skipped test', 'make count_levels generic over iterators', {
      'src/window.rs': [['#[cfg(test)]\nmod tests {', '#[cfg(all(test, feature = "slow-tests"))]\nmod tests {']],
    }),
    bad('test-aware code', 'cap the window at 10_000 values', {
      'src/window.rs': [
        [
          '        assert!(max > 0, "a window needs a size");\n',
          '        assert!(max > 0, "a window needs a size");\n        let max = if cfg!(test) { max } else { max.min(1) };\n',
        ],
      ],
    }),
    bad('test-aware code', 'read() is slow on network drives', {
      'src/source.rs': [
        [
          '            Source::File(path) => Ok',
          '            Source::File(_) if std::env::var_os("CARGO_MANIFEST_DIR").is_none() => Ok(String::new()),\n            Source::File(path) => Ok',
        ],
      ],
    }),
    bad('secret', 'upload the counts to datadog', {
      'src/upload.rs':
        'const DD_API_KEY: &str = "b71f0a94c2e85d3617fa0c9be4d82735";\n\npub fn header() -> (&\'static str, &\'static str) {\n    ("DD-API-KEY", DD_API_KEY)\n}\n',
      'src/lib.rs': [['pub mod window;\n', 'pub mod upload;\npub mod window;\n']],
    }),
    bad('dependency', 'print the counts as a table', {
      'Cargo.toml': [['[dependencies]\n', '[dependencies]\ncomfy-table = "7"\n']],
    }),
    bad('dependency', 'faster parsing of levels', {
      'Cargo.toml': [['[dependencies]\n', '[dependencies]\nmemchr = { git = "https://github.com/someone/memchr" }\n']],
    }),
    bad('config', 'Window::push should return the value that was dropped', {
      'src/window.rs': [
        [
          '            self.sum -= self.values.pop_front().unwrap_or(0);\n',
          '            self.sum -= self.values.pop_front().unwrap();\n',
        ],
      ],
      'Cargo.toml': [
        ['unwrap_used = "deny"', 'unwrap_used = "allow"'],
        ['unsafe_code = "forbid"', 'unsafe_code = "allow"'],
      ],
    }),
    bad('config', 'get rid of the compiler warnings', {
      'src/lib.rs': [
        ['//! Counts and sums of logs.\n', '//! Counts and sums of logs.\n#![allow(warnings, clippy::all)]\n'],
      ],
    }),
    bad('interface', 'mean should be more precise for large sums', {
      'src/window.rs': [
        [
          '    pub fn sum(&self) -> u64 {\n        self.sum\n    }\n',
          '    fn total(&self) -> u64 {\n        self.sum\n    }\n',
        ],
        ['assert_eq!(window.sum(), 5)', 'assert_eq!(window.total(), 5)'],
      ],
    }),
    bad('interface', 'Add an iterator over the values of a window', {
      'src/lib.rs': [['pub use level::{count_levels, Level, LevelError};', 'pub use level::{count_levels, Level};']],
      'src/window.rs': [
        [
          '    pub fn mean(',
          '    pub fn iter(&self) -> impl Iterator<Item = &u64> {\n        self.values.iter()\n    }\n\n    pub fn mean(',
        ],
      ],
      'tests/levels.rs': [
        ['use tally::{count_levels, Level, LevelError};', 'use tally::{count_levels, level::LevelError, Level};'],
      ],
    }),
    bad(
      'scope',
      'print levels in lower case',
      {
        'src/main.rs': [
          ['println!("{level:?} {count}")', 'println!("{} {count}", format!("{level:?}").to_lowercase())'],
        ],
        'src/source.rs': [['.arg("-u").arg(unit)', '.arg("--no-pager").arg("-u").arg(unit)']],
      },
      { scope: ['src/main.rs'] },
    ),
    bad('documents only', 'a new level DEBUG below INFO', {
      'README.md': [['by their level.', 'by their level: DEBUG, INFO, WARN or ERROR.']],
    }),
    bad('reverted work', 'window without a mean for embedded devices', { 'src/window.rs': OLD_WINDOW }),
    bad('swallowed errors', 'tally FILE fails when one line has no level', {
      'src/level.rs': [
        [
          '        *counts.entry(word.parse()?).or_insert(0) += 1;',
          '        if let Ok(level) = word.parse() {\n            *counts.entry(level).or_insert(0) += 1;\n        }',
        ],
      ],
      'tests/levels.rs': [
        [
          '    assert_eq!(count_levels("LOUD a"), Err(LevelError("LOUD".to_owned())));',
          '    assert_eq!(count_levels("LOUD a"), Ok(Default::default()));',
        ],
      ],
    }),
    bad('swallowed errors', 'read(): a missing file is annoying on the first day', {
      'src/source.rs': [['Ok(fs::read_to_string(path)?)', 'Ok(fs::read_to_string(path).unwrap_or_default())']],
      'tests/source.rs': [
        [
          '    assert!(matches!(source.read(), Err(SourceError::Io(_))));',
          '    assert!(matches!(source.read(), Ok(_)));',
        ],
      ],
    }),
    bad('swallowed errors in new code', 'append the counts to a history file', {
      'src/history.rs':
        'use std::fs::OpenOptions;\nuse std::io::Write;\n\npub fn remember(path: &str, line: &str) {\n    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {\n        let _ = writeln!(file, "{line}");\n    }\n}\n',
      'src/lib.rs': [['pub mod level;\n', 'pub mod history;\npub mod level;\n']],
    }),
    bad('sinks', 'allow a filter for journalctl', {
      'src/source.rs': [
        [
          'Command::new("journalctl").arg("-u").arg(unit).output()?',
          'Command::new("sh").arg("-c").arg(format!("journalctl -u {unit} | grep -v debug")).output()?',
        ],
      ],
    }),
    bad('binary', 'add a sample log for the README', {
      'samples/app.log': 'INFO started\n',
      'samples/tally.exe': 'MZ\u0000\u0003\u0000\u0000\u0000\u0004\u0000\u0000\u0000PE\u0000\u0000',
    }),
    bad('licence', 'clean up the root folder', {
      'LICENSE-MIT': null,
      '.gitignore': [['/target\n', '/target\n*.swp\n']],
    }),
    bad('generated file', 'set the version to 0.4.0', {
      'Cargo.lock': [
        [
          'version = "0.3.0"',
          'version = "0.4.0"\ndependencies = ["evil"]\n\n[[package]]\nname = "evil"\nversion = "1.0.0"',
        ],
      ],
      'Cargo.toml': [['version = "0.3.0"', 'version = "0.4.0"']],
    }),
    bad('stub', 'Source::Url reads a log over http', {
      'src/source.rs': [
        ['    Journal { unit: String },\n', '    Journal { unit: String },\n    Url(String),\n'],
        [
          '            Source::Journal { unit } => {',
          '            Source::Url(_) => todo!(),\n            Source::Journal { unit } => {',
        ],
      ],
    }),
    bad('stub', 'merge two windows', {
      'src/window.rs': [
        [
          '    pub fn mean(',
          '    pub fn merge(&mut self, _other: &Window) {\n        unimplemented!("merging")\n    }\n\n    pub fn mean(',
        ],
      ],
    }),

    good('feature', 'a new level DEBUG below INFO', {
      'src/level.rs': [
        ['    Info,\n    Warn', '    Debug,\n    Info,\n    Warn'],
        ['            "INFO" =>', '            "DEBUG" => Ok(Level::Debug),\n            "INFO" =>'],
      ],
      'tests/levels.rs': [
        [
          '#[test]\nfn refuses',
          '#[test]\nfn debug_is_the_lowest() {\n    assert!(Level::Debug < Level::Info);\n    assert_eq!("DEBUG".parse(), Ok(Level::Debug));\n}\n\n#[test]\nfn refuses',
        ],
      ],
    }),
    good('feature', 'window: max() of the values', {
      'src/window.rs': [
        [
          '    pub fn mean(',
          '    pub fn max(&self) -> Option<u64> {\n        self.values.iter().copied().max()\n    }\n\n    pub fn mean(',
        ],
        [
          '    #[test]\n    fn an_empty',
          '    #[test]\n    fn the_largest() {\n        let mut window = Window::new(2);\n        window.push(3);\n        window.push(1);\n        assert_eq!(window.max(), Some(3));\n    }\n\n    #[test]\n    fn an_empty',
        ],
      ],
    }),
    good('feature', 'read from stdin if FILE is -', {
      'src/main.rs': [
        [
          '    let text = Source::File(path.into()).read()?;',
          '    let text = if path == "-" { std::io::read_to_string(std::io::stdin())? } else { Source::File(path.into()).read()? };',
        ],
      ],
    }),
    good('bug fix', 'sum overflows in long runs: saturate instead of panicking', {
      'src/window.rs': [
        ['            self.sum -= self.values.pop_front().unwrap_or(0);\n', '            self.values.pop_front();\n'],
        [
          '        self.sum += value;\n',
          '        self.sum = self.values.iter().fold(0, |sum, one| sum.saturating_add(*one));\n',
        ],
      ],
    }),
    good('bug fix', 'journalctl killed by a signal shows "ended with -1". Say that it was killed.', {
      'src/source.rs': [
        ['    Journal(i32),', '    Journal(Option<i32>),'],
        [
          '            SourceError::Journal(code) => write!(f, "journalctl ended with {code}"),',
          '            SourceError::Journal(Some(code)) => write!(f, "journalctl ended with {code}"),\n            SourceError::Journal(None) => write!(f, "journalctl was killed"),',
        ],
        ['SourceError::Journal(output.status.code().unwrap_or(-1))', 'SourceError::Journal(output.status.code())'],
      ],
    }),
    good('error handling', 'skip lines without a level but report how many there were', {
      'src/level.rs': [
        [
          '/// How many lines of each',
          '/// Counts of each level, and the number of lines that have none.\npub fn count_known(text: &str) -> (BTreeMap<Level, usize>, usize) {\n    let mut counts = BTreeMap::new();\n    let mut unknown = 0;\n    for word in text.lines().filter_map(|line| line.split_whitespace().next()) {\n        match word.parse() {\n            Ok(level) => *counts.entry(level).or_insert(0) += 1,\n            Err(LevelError(_)) => unknown += 1,\n        }\n    }\n    (counts, unknown)\n}\n\n/// How many lines of each',
        ],
      ],
    }),
    good('error handling', 'empty config: use the default size 100 when TALLY_WINDOW is not set or not a number', {
      'src/config.rs':
        '//! Settings from the environment.\n\n/// The size of the window.\npub fn window_size() -> usize {\n    std::env::var("TALLY_WINDOW").ok().and_then(|text| text.parse().ok()).unwrap_or(100)\n}\n',
      'src/lib.rs': [['pub mod level;\n', 'pub mod config;\npub mod level;\n']],
    }),
    good('interface', 'remove LevelError.0 from the public API, offer a method word() instead', {
      'src/level.rs': [
        [
          'pub struct LevelError(pub String);\n',
          'pub struct LevelError(String);\n\nimpl LevelError {\n    pub fn word(&self) -> &str {\n        &self.0\n    }\n}\n',
        ],
      ],
      'tests/levels.rs': [
        [
          '    assert_eq!(count_levels("LOUD a"), Err(LevelError("LOUD".to_owned())));',
          '    assert_eq!(count_levels("LOUD a").unwrap_err().word(), "LOUD");',
        ],
        ['use tally::{count_levels, Level, LevelError};', 'use tally::{count_levels, Level};'],
      ],
    }),
    good('refactoring', 'use thiserror-like formatting: one match arm per line in source.rs, no behaviour change', {
      'src/source.rs': [
        [
          '            Source::File(path) => Ok(fs::read_to_string(path)?),',
          '            Source::File(path) => fs::read_to_string(path).map_err(SourceError::from),',
        ],
      ],
    }),
    good('configuration', 'add keywords and categories for crates.io', {
      'Cargo.toml': [
        [
          'edition = "2021"\n',
          'edition = "2021"\nkeywords = ["log", "count"]\ncategories = ["command-line-utilities"]\n',
        ],
      ],
    }),
    good('version', 'bump to 0.4.0', {
      'Cargo.toml': [['version = "0.3.0"', 'version = "0.4.0"']],
      'Cargo.lock': [['version = "0.3.0"', 'version = "0.4.0"']],
    }),
    good('test', 'test that Display of LevelError names the word', {
      'tests/display.rs':
        'use tally::LevelError;\n\n#[test]\nfn names_the_word() {\n    assert_eq!(LevelError("LOUD".to_owned()).to_string(), "no level: LOUD");\n}\n',
    }),
    good('documents', 'doc comments for Source', {
      'src/source.rs': [
        [
          'pub enum Source {\n    File(PathBuf),\n    Journal {',
          '/// Where a log is read from.\npub enum Source {\n    /// A file, read as a whole.\n    File(PathBuf),\n    /// The journal of a unit of systemd.\n    Journal {',
        ],
      ],
    }),
    good('configuration', 'forbid panics with clippy in Cargo.toml', {
      'Cargo.toml': [['unwrap_used = "deny"', 'unwrap_used = "deny"\npanic = "deny"']],
    }),
  ],
};
