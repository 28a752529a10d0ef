import type { KnowledgeDocument } from "@signalbox/contract";
import { History } from "lucide-react";
import { Button, Select } from "../../design/index.ts";
import { TextFilter } from "../../design/text-filter.tsx";
import { usePages } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import type { KnowledgeSearch } from "./search.ts";
import { useKnowledgeWords } from "./words.ts";

const LISTED_MAX = 100;

export interface KnowledgeFiltersProps {
  agentId: string;
  search: KnowledgeSearch;
  /** Tags in use. */
  tags: readonly string[];
  onChange: (change: KnowledgeSearch) => void;
  onHistory: (document: KnowledgeDocument) => void;
}

export function KnowledgeFilters({ agentId, search, tags, onChange, onHistory }: KnowledgeFiltersProps) {
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
  const chosen = documents.find(({ doc_id }) => doc_id === search.doc);
  // With one document there is nothing to choose.
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
        <TextFilter
          label={text.search}
          title={text.searchHelp}
          text={search.text}
          onText={(wanted) => onChange({ text: wanted })}
        />
        {bases.length > 1 && (
          <Select
            look="filter"
            label={text.base}
            value={base?.knowledge_base_id ?? null}
            options={bases.map(({ knowledge_base_id: value, name: label }) => ({ value, label }))}
            onChange={(value) => onChange({ base: value ?? undefined, doc: undefined, tag: undefined })}
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
        {(tags.length > 0 || search.tag !== undefined) && (
          <Select
            look="filter"
            label={text.tag}
            value={search.tag ?? null}
            options={[
              { value: null, label: words.common.all },
              ...[...new Set([...tags, ...(search.tag === undefined ? [] : [search.tag])])].map((tag) => ({
                value: tag,
                label: tag,
              })),
            ]}
            onChange={(value) => onChange({ tag: value ?? undefined })}
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
        {(search.text !== undefined || search.doc !== undefined || search.tag !== undefined) && (
          <Button
            size="sm"
            tone="quiet"
            onClick={() => onChange({ text: undefined, doc: undefined, tag: undefined })}
          >
            {words.common.clearFilters}
          </Button>
        )}
      </div>
      {count !== undefined && search.text === undefined && search.tag === undefined && (
        <span className="ml-auto text-xs text-ink-faint tabular">{text.pairs(count)}</span>
      )}
    </>
  );
}
