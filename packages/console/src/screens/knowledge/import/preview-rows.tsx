import type { FoundColumns, UploadPreview } from "@signalbox/contract";
import { useState } from "react";
import { classNames, Panel, Select } from "../../../design/index.ts";
import { chosenColumns, type ColumnRole, roleOf, withRole } from "./columns.ts";
import { columnName } from "./refused-csv.ts";
import type { Reading } from "./upload-file.ts";
import { useImportWords } from "./words.ts";

export interface PreviewRowsProps {
  preview: UploadPreview;
  reading: Reading;
  onRead: (change: Reading) => void;
}

const FOUND = "found";
const NO_COLUMNS: FoundColumns = { question: null, answer: null, alternates: [], tags: null };
const ROLES: readonly ColumnRole[] = ["question", "answer", "alternates", "tags", "ignored"];

/** The file as a spreadsheet shows it, with a choice above each column. */
export function PreviewRows({ preview, reading, onRead }: PreviewRowsProps) {
  const text = useImportWords();
  const { rows } = preview;
  // While the question or the answer is missing there is nothing to read.
  const [unfinished, setUnfinished] = useState<FoundColumns>();
  const columns = unfinished ?? preview.columns ?? NO_COLUMNS;
  const choose = (column: number, role: ColumnRole) => {
    const changed = withRole(columns, column, role);
    const chosen = chosenColumns(changed);
    setUnfinished(chosen === undefined ? changed : undefined);
    if (chosen !== undefined) onRead({ columns: chosen });
  };
  const headerRow = headerLineOf(preview, reading);
  const width = Math.max(2, ...rows.map(({ cells }) => cells.length));
  const numbers = Array.from({ length: width }, (_, index) => index + 1);
  const asked = reading.header_rows ?? undefined;
  return (
    <Panel
      title={text.firstRows}
      lead={text.firstRowsLead}
      flush
      actions={
        <Select
          look="filter"
          label={text.headerRow}
          value={asked === undefined ? FOUND : String(asked)}
          options={[
            { value: FOUND, label: text.headerFound(headerRow) },
            { value: "0", label: text.headerNone },
            ...rows
              .filter(({ line }) => line <= rows.length)
              .map(({ line }) => ({ value: String(line), label: text.headerAt(line) })),
          ]}
          onChange={(value) => onRead({ header_rows: value === FOUND ? undefined : Number(value) })}
        />
      }
    >
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={text.firstRows}>
        <table className="w-full text-left text-xs">
          <thead>
            <tr className="border-b border-line bg-sunken align-bottom">
              <th scope="col" className="px-3 py-2 font-medium text-ink-faint">
                {text.row}
              </th>
              {numbers.map((column) => (
                <th key={column} scope="col" className="min-w-36 px-2 py-2 font-medium text-ink-faint">
                  <span className="mb-1 block">{columnName(column)}</span>
                  <Select
                    label={text.column(columnName(column))}
                    value={roleOf(columns, column)}
                    options={ROLES.map((value) => ({ value, label: text.roles[value] }))}
                    onChange={(role) => choose(column, role)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ line, cells }) => (
              <tr
                key={line}
                className={classNames(
                  "border-b border-line last:border-b-0",
                  line === headerRow && "bg-selected font-semibold",
                  line < headerRow && "text-ink-faint",
                )}
              >
                <th scope="row" className="px-3 py-1.5 font-normal text-ink-faint tabular">
                  {line}
                </th>
                {numbers.map((column) => (
                  <td key={column} className="max-w-64 truncate px-2 py-1.5" title={cells[column - 1]}>
                    {cells[column - 1]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

/** The line of the header; titles above it that are blank are not counted by the service. */
function headerLineOf({ header_rows, rows }: UploadPreview, { header_rows: asked }: Reading): number {
  if (asked !== undefined && asked !== null) return asked;
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  return header_rows === null || header_rows === 0 ? 0 : (filled[header_rows - 1]?.line ?? 0);
}
