import type { ExportFormat } from "@signalbox/contract";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button, Menu, showProblem } from "../../design/index.ts";
import { call } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { saveFile } from "./save-file.ts";
import { useKnowledgeWords } from "./words.ts";

const FORMATS: readonly ExportFormat[] = ["xlsx", "csv", "json"];
/** A large knowledge base takes its time. */
const EXPORT_MS = 600_000;

export interface ExportMenuProps {
  agentId: string;
  place: { knowledge_base_id: string | undefined; doc_id: string | undefined };
}

/** What the table shows, without its search, as a file that can be imported again. */
export function ExportMenu({ agentId, place }: ExportMenuProps) {
  const words = useWords();
  const text = useKnowledgeWords().export;
  const [isBusy, setBusy] = useState(false);
  const save = async (format: ExportFormat) => {
    setBusy(true);
    try {
      const input = { agent_id: agentId, format, ...place };
      const file = await call("exportPairs", input, { timeoutMs: EXPORT_MS });
      saveFile(file, `${text.fileName}.${format}`);
    } catch (error) {
      showProblem(error, words);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button disabled={agentId === ""} busy={isBusy} icon={<Download className="size-3.5" aria-hidden />}>
          {text.button}
        </Button>
      }
      groups={[
        {
          label: text.lead,
          items: FORMATS.map((format) => ({
            id: format,
            label: text.formats[format],
            run: () => void save(format),
          })),
        },
      ]}
    />
  );
}
