const LOOK_AT_ROWS = "Check the rows below. --delimiter or --header-rows may help.";
const SAVE_AS_UTF8 = "Save it as CSV in UTF-8.";
const SAVE_AGAIN = "Save the workbook again, or as CSV.";

/** What to do about each cause that the reader of files of pairs knows. */
const FIXES: Readonly<Record<string, string>> = {
  no_question: "Fill in the question, or delete the row.",
  no_answer: "Fill in the answer, or delete the row.",
  question_too_long: "Shorten it, and move the explanation into the answer.",
  answer_too_long: "Split it into several pairs.",
  alternate_too_long: "Shorten it. Each line in the cell is a separate alternate.",
  too_many_alternates: "Keep the ones that differ most.",
  tag_too_long: "Shorten it. Tags are separated by commas.",
  too_many_tags: "Keep the ones you sort by.",
  broken_quotes: 'Double the quotes inside a quoted field: "".',
  too_many_fields: "Put quotes around fields that contain the delimiter.",
  undecodable: "Fix the row and save the file as UTF-8.",
  conflict: "Both were kept. Delete the wrong one.",
  ignored_column: 'If it holds other wordings of the question, name it "similar questions".',
  splitter_ignored: "Leave --delimiter out, or set it to a character, tab, comma, semicolon or pipe.",
  sheet_ignored: "Move it to a separate workbook and import that.",
  documents_joined: "signalbox documents import makes a document of each.",
  spreadsheet_error: "Correct the formula, or type the value.",
  html_left_out: "Look at the answer, and add what is missing as text or as a link.",
  placeholder: "Fill in the real text, or delete the row.",
  bare_fraction: 'Write percentages as text, for example "15 %".',
  empty: "Add a header row with question,answer and one row per pair.",
  no_rows: "Add one row per pair below the header.",
  no_answer_column: "Put questions and answers in two columns. --delimiter sets the separator.",
  columns_unclear: "Say which they are with --question-column and --answer-column.",
  header_not_first: "Move the header to the top, or give the number of header rows with --header-rows.",
  unclosed_quote: "Close the quote, or double it if it is text.",
  record_too_large: "Look for an unclosed quote above it.",
  no_pairs: LOOK_AT_ROWS,
  mostly_rejected: LOOK_AT_ROWS,
  too_many_pairs: "Split the file. Each part becomes a document.",
  wrong_type: "Save it as CSV or XLSX. To convert other documents, use FILE_2_QA (4.1).",
  not_text: SAVE_AS_UTF8,
  unknown_encoding: SAVE_AS_UTF8,
  unreadable: SAVE_AGAIN,
  zip_broken: SAVE_AGAIN,
  zip_refused: SAVE_AGAIN,
  encrypted: "Save it without a password.",
  too_complex: "Split the file, or save it as CSV.",
  too_slow: "Split the file, or save it as CSV.",
  not_an_export: "Give a CSV or XLSX file, or one written by signalbox documents export --json.",
};

export function fixFor(cause: string): string | undefined {
  return FIXES[cause];
}
