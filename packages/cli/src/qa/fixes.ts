const LOOK_AT_ROWS = "Look at the rows below; --delimiter or --header-rows may read the file as it is meant.";
const SAVE_AS_UTF8 = "Save it as CSV in UTF-8.";
const SAVE_AGAIN = "Save the workbook again, or as CSV.";

/** What to do about each cause that the reader of files of pairs knows. */
const FIXES: Readonly<Record<string, string>> = {
  no_question: "Fill in the question, or delete the row.",
  no_answer: "Fill in the answer, or delete the row.",
  question_too_long: "Shorten it; what explains it belongs into the answer.",
  answer_too_long: "Split it into several pairs.",
  alternate_too_long: "Shorten it; each line of the cell is an alternate of its own.",
  too_many_alternates: "Keep those that differ most.",
  broken_quotes: 'Double the quotes inside a quoted field: "".',
  too_many_fields: "Put quotes around a field that holds the delimiter.",
  undecodable: "Repair the row and save the file in UTF-8.",
  conflict: "Both are kept; delete the one that is wrong.",
  ignored_column: 'Call it "similar questions" if its words should find the pair.',
  sheet_ignored: "Import it from a workbook of its own.",
  empty: "Write a header, question,answer, and a row for each pair.",
  no_rows: "Write a row for each pair below the header.",
  no_answer_column: "Put questions and answers into two columns; --delimiter says what stands between them.",
  bad_delimiter: "Give one character, or tab, comma, semicolon or pipe, as --delimiter.",
  header_not_first: "Move the header to the top, or say with --header-rows how many rows are headers.",
  unclosed_quote: "Close the quote, or double it if it is text.",
  record_too_large: "Look for a quote above it that is never closed.",
  no_pairs: LOOK_AT_ROWS,
  mostly_rejected: LOOK_AT_ROWS,
  too_many_pairs: "Split the file; each part becomes a document.",
  wrong_type: "Save it as CSV or XLSX. Other documents are converted by 4.1 with FILE_2_QA.",
  not_text: SAVE_AS_UTF8,
  unknown_encoding: SAVE_AS_UTF8,
  unreadable: SAVE_AGAIN,
  zip_broken: SAVE_AGAIN,
  zip_refused: SAVE_AGAIN,
  encrypted: "Save it without a password.",
  too_complex: "Split the file, or save it as CSV.",
  too_slow: "Split the file, or save it as CSV.",
  name_taken: "--replace puts this content in its place; --name gives it a name of its own.",
  unanswered: "Run it again with --replace: what is there already is then replaced.",
  not_an_export: "Give a file that signalbox qa export --json wrote, or CSV or XLSX.",
  not_a_pair: "Write question and answer, and keywords as a list.",
};

export function fixFor(cause: string): string | undefined {
  return FIXES[cause];
}
