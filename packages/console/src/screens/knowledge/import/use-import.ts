import type { DocumentRevision, Upload } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../../../service/index.ts";
import { PAIR_CHANGES } from "../use-pair-actions.ts";
import { importEnded, previewUpload, type Reading, uploadFile } from "./upload-file.ts";

export type ImportStage =
  | { at: "uploading"; share: number }
  | { at: "preview"; upload: Upload; isReading: boolean }
  | { at: "importing" | "imported" | "held" | "refused"; revision: DocumentRevision }
  | { at: "failed"; error: unknown };

function stageOf({ state }: DocumentRevision): "imported" | "held" | "refused" {
  if (state === "failed") return "refused";
  return state === "held" ? "held" : "imported";
}

/** One file on its way from the disk to pairs. What was uploaded and not imported is deleted with the drawer. */
export function useImport(agentId: string, file: File, place: Reading) {
  const queries = useQueryClient();
  const [stage, setStage] = useState<ImportStage>({ at: "uploading", share: 0 });
  const [reading, setReading] = useState<Reading>(place);
  const running = useRef(new AbortController());
  const uploaded = useRef<Upload>(undefined);
  const isKept = useRef(false);

  /** If two runs overlap, the later one is shown. */
  const begin = (run: (signal: AbortSignal) => Promise<void>) => {
    running.current.abort();
    const own = new AbortController();
    running.current = own;
    run(own.signal).catch((error: unknown) => {
      if (!own.signal.aborted) setStage({ at: "failed", error });
    });
  };

  const start = () =>
    begin(async (signal) => {
      setStage({ at: "uploading", share: 0 });
      const onShare = (share: number) => signal.aborted || setStage({ at: "uploading", share });
      uploaded.current = await uploadFile(file, { agentId, signal, onShare });
      await show(uploaded.current, reading, signal);
    });

  const show = async (upload: Upload, wanted: Reading, signal: AbortSignal) => {
    setStage({ at: "preview", upload, isReading: true });
    const previewed = await previewUpload(upload, wanted, { agentId, signal });
    setStage({ at: "preview", upload: previewed, isReading: false });
  };

  useEffect(() => {
    start();
    return () => {
      running.current.abort();
      const upload_id = uploaded.current?.upload_id;
      // If it fails, the file is gone in a day.
      if (upload_id !== undefined && !isKept.current)
        void call("deleteUpload", { agent_id: agentId, upload_id }).catch(() => undefined);
    };
    // The drawer is keyed by its file: there is one of each for as long as it is open.
  }, []);

  return {
    stage,
    reading,
    again: start,
    read(change: Reading) {
      const wanted = { ...reading, ...change };
      setReading(wanted);
      if (stage.at === "preview") begin((signal) => show(stage.upload, wanted, signal));
    },
    confirm(upload: Upload) {
      isKept.current = true;
      begin(async (signal) => {
        const asked = { agent_id: agentId, upload_id: upload.upload_id, ...reading };
        const begun = await call("importUpload", asked);
        const onStep = (revision: DocumentRevision) => setStage({ at: "importing", revision });
        const revision = await importEnded(agentId, begun, onStep, signal);
        setStage({ at: stageOf(revision), revision });
        await Promise.all(PAIR_CHANGES.map((changed) => queries.invalidateQueries({ queryKey: [changed] })));
      });
    },
  };
}
