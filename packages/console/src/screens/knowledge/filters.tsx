import type { KnowledgeDocument } from "@signalbox/contract";
import { History, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, Select } from "../../design/index.ts";
import { usePages } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import type { KnowledgeSearch } from "./search.ts";
import { useKnowledgeWords } from "./words.ts";

/** One asks when the words stand still. */
const TYPING_MS = 300;
const LISTED_MAX = 100;

export interface KnowledgeFiltersProps {
  agentId: string;
  search: KnowledgeSearch;
  onChange: (change: KnowledgeSearch) => void;
  onHistory: (document: KnowledgeDocument) => void;
}

export function KnowledgeFilters({ agentId, search, onChange, onHistory }: KnowledgeFiltersProps) {
  const words = useWords();
  const text = useKnowledgeWords();
  const enabled = agentId !== "";
  const list = { agent_id: agentId, limit: LISTED_MAX };
  const bases = usePages("listAgentKnowledgeBases", list, { enabled }).entries;
  const base = bases.find(({ knowledge_base_id: id, is_default }) =>
    search.base === undefined ? is_default : id === search.base,
  );
  const documents = usePages(
    "listAgentDocuments",
    { ...list, knowledge_base_id: search.base },
    { enabled },
  ).entries;
  const [typed, setTyped] = useState(search.text ?? "");
  useEffect(() => {
    const wanted = typed.trim() === "" ? undefined : typed.trim();
    if (wanted === search.text) return undefined;
    const timer = setTimeout(() => onChange({ text: wanted }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, search.text, onChange]);
  const chosen = documents.find(({ doc_id }) => doc_id === search.doc);
  // Of one document there is nothing to choose.
  const shown = chosen ?? (documents.length === 1 ? documents[0] : undefined);
  const count = chosen?.pairs ?? base?.pairs;
  return (
    <>
      <div
        id="filters"
        role="group"
        aria-label={text.filters}
        className="flex flex-wrap items-center gap-1.5"
      >
        <label className="flex h-7 w-64 items-center gap-1.5 rounded-md border border-line-strong bg-panel px-2 focus-within:outline-2 focus-within:outline-accent">
          <Search className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <input
            type="search"
            aria-label={text.search}
            title={text.searchHelp}
            placeholder={text.search}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="min-w-0 flex-1 bg-transparent text-xs text-ink outline-none"
          />
        </label>
        {bases.length > 1 && (
          <Select
            look="filter"
            label={text.base}
            value={base?.knowledge_base_id ?? null}
            options={bases.map(({ knowledge_base_id: value, name: label }) => ({ value, label }))}
            onChange={(value) => onChange({ base: value ?? undefined, doc: undefined })}
          />
        )}
        {documents.length > 1 && (
          <Select
            look="filter"
            label={text.document}
            value={search.doc ?? null}
            options={[
              { value: null, label: words.common.all },
              ...documents.map(({ doc_id: value, doc_name: label }) => ({ value, label })),
            ]}
            onChange={(value) => onChange({ doc: value ?? undefined })}
          />
        )}
        {shown !== undefined && (
          <Button
            size="sm"
            tone="quiet"
            icon={<History className="size-3.5" aria-hidden />}
            onClick={() => onHistory(shown)}
          >
            {text.documentHistory.button}
          </Button>
        )}
        {(search.text !== undefined || search.doc !== undefined) && (
          <Button
            size="sm"
            tone="quiet"
            onClick={() => {
              setTyped("");
              onChange({ text: undefined, doc: undefined });
            }}
          >
            {words.common.clearFilters}
          </Button>
        )}
      </div>
      {count !== undefined && search.text === undefined && (
        <span className="ml-auto text-xs text-ink-faint tabular">{text.pairs(count)}</span>
      )}
    </>
  );
}
