import { refuse, type Refusal } from "../../platform/index.ts";

/** Where a pair stands: in one content of a document. */
export interface PairPlace {
  documentId: string;
  revision: number;
  ordinal: number;
}

const DOCUMENT_ID_CHARACTERS = 36;

export function writePairId({ documentId, revision, ordinal }: PairPlace): string {
  return `${documentId}-${revision}-${ordinal}`;
}

/** Takes an id that the contract has checked. */
export function readPairId(id: string): PairPlace {
  const [revision, ordinal] = id.slice(DOCUMENT_ID_CHARACTERS + 1).split("-");
  return {
    documentId: id.slice(0, DOCUMENT_ID_CHARACTERS),
    revision: Number(revision),
    ordinal: Number(ordinal),
  };
}

export function noPair(): Refusal {
  return refuse("notFound", "there is no such pair; its document may have been replaced since you read it");
}
