import { createColumnHelper, type RowData, tableFeatures, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import { useWords } from "../words/index.ts";
import { classNames } from "./class-names.ts";
import { Skeleton } from "./skeleton.tsx";
import { useIsNarrow } from "./use-is-narrow.ts";

export interface Column<Row> {
  id: string;
  header: ReactNode;
  /** As the grid's columns take it: 8rem, minmax(0,1fr). */
  width: string;
  cell: (row: Row) => ReactNode;
  /** Left out where the table is narrower: than 46, 62 and 70rem, with 2.5 of it at the sides and 1 between columns. */
  from?: "md" | "lg" | "xl";
  align?: "end";
}

export interface DataTableProps<Row extends RowData> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** A row on a phone, where columns have no room. */
  compact: (row: Row) => ReactNode;
  isSelected?: (row: Row) => boolean;
  loading?: boolean;
  /** More rows are there, and being fetched as the end comes near. */
  onEnd?: (() => void) | undefined;
  loadingMore?: boolean;
  /** In place of the rows when there are none. */
  empty: ReactNode;
}

const ROW_PX = 44;
const COMPACT_ROW_PX = 76;
const features = tableFeatures({});
const SKELETONS = 12;
/** The header is the first. */
const FIRST_ROW = 2;
const ROW_LINK = "[data-row-link]";
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Rows that fill the height there is and scroll by themselves; only those in view are in the page, however many there are. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    idOf,
    compact,
    isSelected,
    loading = false,
    onEnd,
    loadingMore = false,
    empty,
  } = props;
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const helper = useMemo(() => createColumnHelper<typeof features, Row>(), []);
  const definitions = useMemo(() => columns.map(({ id }) => helper.display({ id })), [columns, helper]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, getRowId: idOf });
  const model = table.getRowModel().rows;
  const rowPx = isNarrow ? COMPACT_ROW_PX : ROW_PX;
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => model[index]?.id ?? index,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [rowPx, virtual]);

  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd !== undefined && !loadingMore && last >= model.length - 10) onEnd();
  }, [last, model.length, onEnd, loadingMore]);

  /** Down and up, or j and k, go from row to row; Enter opens the one with the focus. */
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = STEPS[event.key];
    const target = event.target as HTMLElement;
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target !== event.currentTarget && !target.matches(ROW_LINK)) return;
    const from = Number(target.closest("[aria-rowindex]")?.getAttribute("aria-rowindex") ?? FIRST_ROW - 1);
    const index = Math.min(model.length - 1, Math.max(0, from - FIRST_ROW + step));
    event.preventDefault();
    virtual.scrollToIndex(index);
    // The row may have to be put into the page first.
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[aria-rowindex="${index + FIRST_ROW}"] ${ROW_LINK}`)
        ?.focus(),
    );
  };

  const byId = new Map(columns.map((column) => [column.id, column]));
  const grid = useGrid(columns);
  if (!loading && model.length === 0 && onEnd === undefined)
    return <div className="min-h-0 flex-1 overflow-y-auto">{empty}</div>;
  return (
    <div
      ref={scroller}
      onKeyDown={move}
      tabIndex={0}
      role="region"
      aria-label={label}
      className="data-scroller min-h-0 flex-1 overflow-auto -outline-offset-2!"
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={onEnd === undefined ? model.length + 1 : -1}
        className={grid.className}
        style={grid.style}
      >
        {!isNarrow && (
          <div
            role="row"
            className="data-row sticky top-0 z-20 h-8 border-y border-line bg-sunken px-4 sm:px-6"
          >
            {table.getFlatHeaders().map((header) => (
              <div
                key={header.id}
                role="columnheader"
                data-from={byId.get(header.column.id)?.from}
                className={cellClass(byId.get(header.column.id), "text-xs font-medium text-ink-faint")}
              >
                {byId.get(header.column.id)?.header}
              </div>
            ))}
          </div>
        )}
        {loading ? (
          <LoadingRows columns={columns} rowPx={rowPx} isNarrow={isNarrow} />
        ) : (
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {shown.map((item) => {
              const row = model[item.index];
              if (row === undefined) return null;
              const isChosen = isSelected?.(row.original) ?? false;
              return (
                <div
                  key={row.id}
                  role="row"
                  aria-rowindex={item.index + FIRST_ROW}
                  aria-selected={isSelected === undefined ? undefined : isChosen}
                  className={classNames(
                    "data-row absolute inset-x-0 top-0 border-b border-line px-4 transition-colors hover:bg-hover sm:px-6",
                    isChosen && "bg-selected!",
                  )}
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  {isNarrow ? (
                    <div role="cell" className="col-span-full min-w-0 self-center">
                      {compact(row.original)}
                    </div>
                  ) : (
                    row.getAllCells().map((cell) => (
                      <div
                        key={cell.id}
                        role="cell"
                        data-from={byId.get(cell.column.id)?.from}
                        className={cellClass(byId.get(cell.column.id), "text-sm text-ink")}
                      >
                        {/* Called, not rendered as a component: columns change with the rows, and the focus stays. */}
                        {byId.get(cell.column.id)?.cell(row.original)}
                      </div>
                    ))
                  )}
                </div>
              );
            })}
          </div>
        )}
      </div>
      {loading && (
        <span role="status" className="sr-only">
          {words.common.loading}
        </span>
      )}
      {loadingMore && <p className="px-6 py-3 text-center text-xs text-ink-faint">{words.common.loading}</p>}
    </div>
  );
}

function cellClass<Row>(column: Column<Row> | undefined, look: string): string {
  return classNames("flex min-w-0 items-center", look, column?.align === "end" && "justify-end text-right");
}

/** One grid template for each width of the table, as variables that the style sheet chooses from. */
function useGrid<Row>(columns: readonly Column<Row>[]): { className: string; style: CSSProperties } {
  const template = (widths: (Column<Row>["from"] | undefined)[]) =>
    columns.flatMap((column) => (widths.includes(column.from) ? [column.width] : [])).join(" ");
  return {
    className: "data-table",
    style: {
      "--columns-sm": template([undefined]),
      "--columns-md": template([undefined, "md"]),
      "--columns-lg": template([undefined, "md", "lg"]),
      "--columns-xl": template([undefined, "md", "lg", "xl"]),
    } as CSSProperties,
  };
}

interface LoadingRowsProps<Row> {
  columns: readonly Column<Row>[];
  rowPx: number;
  isNarrow: boolean;
}

function LoadingRows<Row>({ columns, rowPx, isNarrow }: LoadingRowsProps<Row>) {
  return (
    <div role="rowgroup" aria-busy>
      {Array.from({ length: SKELETONS }, (_, index) => (
        <div
          key={index}
          role="row"
          className="data-row border-b border-line px-4 sm:px-6"
          style={{ height: rowPx }}
        >
          {isNarrow ? (
            <div role="cell" className="col-span-full flex flex-col justify-center gap-2">
              <Skeleton className="w-7/12" />
              <Skeleton className="w-10/12" />
            </div>
          ) : (
            columns.map((column) => (
              <div key={column.id} role="cell" data-from={column.from} className={cellClass(column, "")}>
                <Skeleton className="w-8/12 min-w-4" />
              </div>
            ))
          )}
        </div>
      ))}
    </div>
  );
}
