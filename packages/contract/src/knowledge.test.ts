import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AddQaRequest, UpdateQaRequest } from "./knowledge.ts";
import { readWire } from "./reading.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const otherId = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e22";
const pair = { question: "When do you open?", answer: "At nine." };
const url = "https://files.example.com/hours.csv";
const qaText = { purpose: "QA_TEXT", name: "Hours", qaList: [pair] };
const qaFile = { purpose: "QA_FILE", files: [{ file_url: url, file_name: "hours.csv" }] };
const converted = { purpose: "FILE_2_QA", files: [{ source_url: url, file_name: "hours.pdf" }] };

function added(body: unknown): AddQaRequest {
  const read = readWire(AddQaRequest, body);
  assert.ok(read.ok, read.ok ? "" : read.problem);
  return read.value;
}

function refusedAdd(body: unknown): string | undefined {
  const read = readWire(AddQaRequest, body);
  return read.ok ? undefined : read.problem;
}

function updated(body: unknown): UpdateQaRequest {
  const read = readWire(UpdateQaRequest, body);
  assert.ok(read.ok, read.ok ? "" : read.problem);
  return read.value;
}

function refusedUpdate(body: unknown): string | undefined {
  const read = readWire(UpdateQaRequest, body);
  return read.ok ? undefined : read.problem;
}

describe("4.1 add Q&A", () => {
  it("4.1 refuses a body without a valid purpose", () => {
    assert.equal(refusedAdd({}), "purpose is required: QA_TEXT, QA_FILE or FILE_2_QA");
    assert.equal(refusedAdd({ purpose: "QA" }), "purpose must be QA_TEXT, QA_FILE or FILE_2_QA");
    assert.equal(refusedAdd([]), "the request body must be an object");
    assert.equal(refusedAdd("x"), "the request body must be an object");
  });

  it("4.1 rule 1: QA_TEXT requires name and qaList", () => {
    assert.equal(refusedAdd({ ...qaText, qaList: undefined }), "qaList is required when purpose is QA_TEXT");
    assert.equal(refusedAdd({ ...qaText, qaList: null }), "qaList is required when purpose is QA_TEXT");
    assert.equal(refusedAdd({ ...qaText, name: undefined }), "name is required when purpose is QA_TEXT");
    assert.equal(
      refusedAdd({ purpose: "QA_TEXT" }),
      "name is required when purpose is QA_TEXT; qaList is required when purpose is QA_TEXT",
    );
    assert.equal(refusedAdd({ ...qaText, qaList: [] }), "qaList must have at least 1 entry");
    assert.equal(refusedAdd({ ...qaText, qaList: "x" }), "qaList must be a list");
  });

  it("4.1 reads an empty string in an optional field as an absent field", () => {
    const empty = { knowledge_base_id: "", splitter: "" };
    const text = added({ ...qaText, ...empty });
    assert.deepEqual([text.knowledge_base_id, text.splitter], [undefined, undefined]);
    added({ ...qaFile, ...empty, files: [{ file_url: "", source_url: url, file_name: "hours.csv" }] });
    assert.equal(
      refusedAdd({ ...qaFile, files: [{ file_url: "", file_name: "hours.csv" }] }),
      "files[0].file_url is required when purpose is QA_FILE",
    );
    assert.equal(
      refusedAdd({ ...qaText, knowledge_base_id: "x" }),
      "knowledge_base_id must be an id given by this service (a UUID)",
    );
    assert.equal(refusedAdd({ ...qaText, splitter: 7 }), "splitter must be a string");
    updated({ doc_id: id, qaList: [pair], ...empty });
    assert.equal(
      refusedUpdate({ doc_id: "", qaList: [pair] }),
      "doc_id is required when updating with qaList",
    );
  });

  it("4.1 accepts a presigned URL of 4,096 characters and refuses a longer one", () => {
    const signed = (length: number) => `${url}?signature=${"x".repeat(length)}`.slice(0, length);
    const file = (field: "file_url" | "source_url", length: number) => ({
      ...(field === "file_url" ? qaFile : converted),
      files: [{ [field]: signed(length), file_name: "hours.csv" }],
    });
    for (const field of ["file_url", "source_url"] as const) {
      assert.equal(refusedAdd(file(field, 4_096)), undefined);
      assert.equal(refusedAdd(file(field, 4_097)), `files[0].${field} must have at most 4,096 characters`);
    }
  });

  it("4.1 rule 2: QA_FILE requires file_url and file_name in each file", () => {
    assert.equal(refusedAdd({ purpose: "QA_FILE" }), "files is required when purpose is QA_FILE");
    assert.equal(refusedAdd({ ...qaFile, files: [] }), "files must have at least 1 entry");
    assert.equal(refusedAdd({ ...qaFile, files: [{ file_url: url }] }), "files[0].file_name is required");
    assert.equal(
      refusedAdd({ ...qaFile, files: [{ file_name: "a.csv" }] }),
      "files[0].file_url is required when purpose is QA_FILE",
    );
  });

  it("4.1 rule 3: FILE_2_QA requires source_url and file_name in each file", () => {
    assert.equal(refusedAdd({ purpose: "FILE_2_QA" }), "files is required when purpose is FILE_2_QA");
    assert.equal(
      refusedAdd({ ...converted, files: [{ file_name: "a.pdf" }] }),
      "files[0].source_url is required when purpose is FILE_2_QA",
    );
  });

  it("4.1 accepts either URL field of a file and prefers the one of its purpose", () => {
    const entry = { file_url: "https://a.example/f", source_url: "https://a.example/s", file_name: "f" };
    const urlOf = (body: unknown) => (added(body) as { files: { url: string }[] }).files[0]?.url;
    assert.equal(urlOf({ ...qaFile, files: [entry] }), entry.file_url);
    assert.equal(urlOf({ ...converted, files: [entry] }), entry.source_url);
    assert.equal(urlOf({ ...qaFile, files: [{ ...entry, file_url: null }] }), entry.source_url);
    assert.equal(urlOf({ ...converted, files: [{ ...entry, source_url: undefined }] }), entry.file_url);
  });

  it("4.1 rule 4: accepts 20 files and refuses 21", () => {
    const files = (count: number) => Array.from({ length: count }, () => qaFile.files[0]);
    assert.equal(refusedAdd({ ...qaFile, files: files(20) }), undefined);
    assert.equal(refusedAdd({ ...qaFile, files: files(21) }), "files must have at most 20 entries");
  });

  it("4.1 enforces the size limits of names and lists", () => {
    const name = (length: number) => ({
      ...qaFile,
      files: [{ file_url: url, file_name: "x".repeat(length) }],
    });
    assert.equal(refusedAdd(name(200)), undefined);
    assert.equal(refusedAdd(name(201)), "files[0].file_name must have at most 200 characters");
    const list = (count: number) => ({ ...qaText, qaList: Array.from({ length: count }, () => pair) });
    assert.equal(refusedAdd(list(10_000)), undefined);
    assert.equal(refusedAdd(list(10_001)), "qaList must have at most 10000 entries");
    const words = (question: number, answer: number) => ({
      ...qaText,
      qaList: [{ question: "q".repeat(question), answer: "a".repeat(answer) }],
    });
    assert.equal(refusedAdd(words(1_000, 25_000)), undefined);
    assert.equal(refusedAdd(words(1_001, 1)), "qaList[0].question must have at most 1,000 characters");
    assert.equal(refusedAdd(words(1, 25_001)), "qaList[0].answer must have at most 25,000 characters");
  });

  it("4.1 accepts any number of header rows and any chunk_token of at least 1, 600 by default", () => {
    assert.equal(added(qaFile).chunk_token, 600);
    assert.equal(added({ ...qaFile, chunk_token: null }).chunk_token, 600);
    assert.equal(added({ ...qaFile, chunk_token: 1 }).chunk_token, 1);
    assert.equal(refusedAdd({ ...qaFile, chunk_token: 0 }), "chunk_token must be at least 1");
    assert.equal(added({ ...qaFile, chunk_token: 20_000 }).chunk_token, 20_000);
    assert.equal(refusedAdd({ ...qaFile, chunk_token: 1.5 }), "chunk_token must be a whole number");
    assert.equal(added({ ...qaFile, header_row: 0 }).header_row, 0);
    assert.equal(added({ ...qaFile, header_row: 12 }).header_row, 12);
    assert.equal(refusedAdd({ ...qaFile, header_row: -1 }), "header_row must be at least 0");
    assert.equal(added({ ...converted, splitter: "\n" }).splitter, "\n");
  });

  it("4.1 ignores fields of another purpose and unknown fields", () => {
    assert.equal(refusedAdd({ ...qaText, files: "x", colour: "red" }), undefined);
    assert.equal("files" in added({ ...qaText, files: [] }), false);
  });
});

describe("4.2 update Q&A", () => {
  const file = { doc_id: id, source_url: url, file_name: "hours.csv" };

  it("4.2 rule 1: requires either qaList or files, not both", () => {
    assert.equal(refusedUpdate({}), "the request body must contain qaList or files; both are empty");
    assert.equal(
      refusedUpdate({ qaList: [], files: null }),
      "the request body must contain qaList or files; both are empty",
    );
    assert.equal(
      refusedUpdate({ doc_id: id, qaList: [pair], files: [file] }),
      "the request body must contain either qaList or files, not both",
    );
    assert.equal(updated({ doc_id: id, qaList: [pair], files: [] }).with, "qaList");
    assert.equal(updated({ qaList: [], files: [file] }).with, "files");
  });

  it("4.2 rule 2: requires doc_id with qaList", () => {
    assert.equal(refusedUpdate({ qaList: [pair] }), "doc_id is required when updating with qaList");
    assert.equal(
      refusedUpdate({ doc_id: null, qaList: [pair] }),
      "doc_id is required when updating with qaList",
    );
    assert.equal(
      refusedUpdate({ doc_id: "7", qaList: [pair] }),
      "doc_id must be an id given by this service (a UUID)",
    );
    assert.deepEqual(updated({ doc_id: id.toUpperCase(), qaList: [pair] }), {
      with: "qaList",
      doc_id: id,
      qaList: [pair],
      chunk_token: 600,
    });
  });

  it("4.2 rule 3: requires doc_id, a URL and a name in each file", () => {
    assert.equal(refusedUpdate({ files: [{ ...file, doc_id: undefined }] }), "files[0].doc_id is required");
    assert.equal(
      refusedUpdate({ files: [{ ...file, file_name: undefined }] }),
      "files[0].file_name is required",
    );
    assert.equal(
      refusedUpdate({ files: [{ ...file, source_url: undefined }] }),
      "files[0].source_url is required for each file",
    );
    const { source_url, ...rest } = file;
    assert.deepEqual(updated({ files: [{ ...rest, file_url: source_url }] }), {
      with: "files",
      files: [{ doc_id: id, url, file_name: "hours.csv" }],
      chunk_token: 600,
    });
  });

  it("4.2 refuses a document named twice, in any case of its id", () => {
    assert.equal(
      refusedUpdate({ files: [file, { ...file, doc_id: otherId }, { ...file, doc_id: id.toUpperCase() }] }),
      "files[2].doc_id is the same as in files[0]; name each document once",
    );
  });

  it("4.2 ignores a doc_id beside files and accepts an unknown one inside files", () => {
    assert.equal("doc_id" in updated({ doc_id: 7, files: [file] }), false);
    assert.equal(refusedUpdate({ files: [{ ...file, doc_id: "not-ours" }] }), undefined);
  });

  it("4.2 accepts 20 files and refuses 21", () => {
    const files = Array.from({ length: 21 }, (_, index) => ({ ...file, doc_id: `d${index}` }));
    assert.equal(refusedUpdate({ files: files.slice(1) }), undefined);
    assert.equal(refusedUpdate({ files }), "files must have at most 20 entries");
  });
});
