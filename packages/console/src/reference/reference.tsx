import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Mark } from "../frame/mark.tsx";
import { classNames, CONTROL, SkeletonLines } from "../design/index.ts";
import { entriesOf, type Entry, type OpenApi } from "./openapi.ts";
import { Method, OperationView } from "./operation-view.tsx";
import { useReferenceWords } from "./words.ts";

const DOCUMENT = "/openapi.json";

async function load(): Promise<OpenApi> {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT} answered HTTP ${response.status}`);
  return (await response.json()) as OpenApi;
}

/** Every call of the contract, for anybody: it tells nothing of this installation. */
export function Reference() {
  const words = useReferenceWords();
  const { data: document, isError } = useQuery({ queryKey: [DOCUMENT], queryFn: load, staleTime: Infinity });
  const entries = useMemo(() => (document === undefined ? [] : entriesOf(document)), [document]);
  const chosen = useHash();
  const entry = entries.find(({ operation }) => operation.operationId === chosen) ?? entries[0];
  return (
    <div className="flex h-full flex-col lg:flex-row">
      <aside className="flex min-h-0 shrink-0 flex-col border-line max-lg:max-h-72 max-lg:border-b lg:w-80 lg:border-r">
        <div className="flex items-center gap-2 px-4 pt-4 pb-2">
          <Mark className="size-6" />
          <span className="text-sm font-semibold">{words.title}</span>
          {document !== undefined && <span className="text-xs text-ink-faint">{document.info.version}</span>}
        </div>
        <p className="flex gap-4 px-4 pb-2 text-xs font-medium text-accent">
          <a className="hover:underline" href="/console/">
            {words.console}
          </a>
          <a className="hover:underline" href={DOCUMENT}>
            {words.download}
          </a>
        </p>
        <OperationList document={document} entries={entries} chosen={entry} />
      </aside>
      <main tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto px-4 py-6 outline-none sm:px-8">
        {isError ? (
          <p role="alert" className="text-sm text-bad">
            {words.failed}
          </p>
        ) : document === undefined || entry === undefined ? (
          <SkeletonLines lines={12} />
        ) : (
          <OperationView key={entry.operation.operationId} document={document} entry={entry} />
        )}
      </main>
    </div>
  );
}

interface OperationListProps {
  document: OpenApi | undefined;
  entries: readonly Entry[];
  chosen: Entry | undefined;
}

function OperationList({ document, entries, chosen }: OperationListProps) {
  const words = useReferenceWords();
  const [filter, setFilter] = useState("");
  const sought = filter.trim().toLowerCase();
  const found = entries.filter(({ operation, path = "" }) =>
    `${operation.summary} ${operation.operationId} ${path}`.toLowerCase().includes(sought),
  );
  return (
    <nav aria-label={words.title} className="flex min-h-0 flex-1 flex-col">
      <div className="px-4 pb-2">
        <input
          type="search"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          placeholder={words.filter}
          aria-label={words.filter}
          className={classNames(CONTROL, "h-8")}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        {document?.tags.map(({ name, description }) => {
          const ofTag = found.filter(({ operation }) => operation.tags.includes(name));
          if (ofTag.length === 0) return null;
          return (
            <section key={name} aria-label={words.groups[name] ?? name}>
              <h2 title={description} className="px-2 pt-3 pb-1 text-xs font-medium text-ink-faint">
                {words.groups[name] ?? name}
              </h2>
              <ul>
                {ofTag.map(({ operation, method }) => (
                  <li key={operation.operationId}>
                    <a
                      href={`#${operation.operationId}`}
                      aria-current={operation === chosen?.operation ? "page" : undefined}
                      className="flex min-h-7 items-center gap-2 rounded-md px-2 py-1 text-sm text-ink-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:text-ink"
                    >
                      <span className="min-w-0 flex-1 truncate">{operation.summary}</span>
                      <Method method={method} />
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
        {document !== undefined && found.length === 0 && (
          <p className="px-2 py-3 text-sm text-ink-soft">{words.nothingFound}</p>
        )}
      </div>
    </nav>
  );
}

function useHash(): string {
  const [hash, setHash] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const read = () => setHash(location.hash.slice(1));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return hash;
}
