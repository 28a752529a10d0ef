import { Pencil, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, Dialog, IconButton, Problem, SkeletonLines } from "../../design/index.ts";

interface EditedListProps<Item> {
  title: string;
  lead: string;
  /** What to say while there is none. */
  none: string;
  add: string;
  list: { items: readonly Item[] | undefined; error: Error | null; refetch: () => unknown };
  describe: (item: Item) => {
    key: string;
    name: string;
    detail: ReactNode;
    edit: string;
    remove: string;
  };
  onRemove: (item: Item) => void;
  /** Undefined: a new one. */
  form: (item: Item | undefined, onDone: () => void) => ReactNode;
  onClose: () => void;
  children?: ReactNode;
}

/** A short list that is kept in a dialog: one is added, changed or removed, and the list comes back. */
export function EditedList<Item>({
  list,
  describe,
  form,
  onRemove,
  onClose,
  ...text
}: EditedListProps<Item>) {
  const { items, error, refetch } = list;
  const [edited, setEdited] = useState<{ item: Item | undefined }>();
  return (
    <Dialog open onOpenChange={onClose} title={text.title} description={text.lead}>
      {edited !== undefined ? (
        form(edited.item, () => setEdited(undefined))
      ) : error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : items === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <div className="flex flex-col gap-4">
          {items.length === 0 ? (
            <p className="text-sm text-ink-soft">{text.none}</p>
          ) : (
            <ul className="flex flex-col">
              {items.map((item) => {
                const { key, name, detail, edit, remove } = describe(item);
                return (
                  <li key={key} className="flex items-start gap-2 border-t border-line py-2 first:border-t-0">
                    <span className="flex min-w-0 flex-1 flex-col">
                      <span className="truncate text-sm font-medium text-ink">{name}</span>
                      <span className="line-clamp-2 text-xs wrap-anywhere text-ink-soft">{detail}</span>
                    </span>
                    <IconButton size="sm" label={edit} onClick={() => setEdited({ item })}>
                      <Pencil className="size-3.5" aria-hidden />
                    </IconButton>
                    <IconButton size="sm" label={remove} onClick={() => onRemove(item)}>
                      <Trash2 className="size-3.5" aria-hidden />
                    </IconButton>
                  </li>
                );
              })}
            </ul>
          )}
          <Button
            className="self-start"
            tone={items.length === 0 ? "primary" : "plain"}
            icon={<Plus className="size-3.5" aria-hidden />}
            onClick={() => setEdited({ item: undefined })}
          >
            {text.add}
          </Button>
        </div>
      )}
      {text.children}
    </Dialog>
  );
}
