import type { AgentModel } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import {
  Button,
  ConfirmDialog,
  Facts,
  Field,
  FormDialog,
  Input,
  Panel,
  Problem,
  problemOf,
  showProblem,
  showToast,
  SkeletonLines,
  Time,
} from "../../design/index.ts";
import { bodyProblems, isAnotherServer, useAction, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { ModelState } from "./model-state.tsx";
import { useModelWords } from "./model-words.ts";

const ROUTES = {
  chat: { get: "getChatModel", set: "setChatModel", test: "testChatModel", remove: "deleteChatModel" },
  chat_fallback: {
    get: "getChatFallbackModel",
    set: "setChatFallbackModel",
    test: "testChatFallbackModel",
    remove: "deleteChatFallbackModel",
  },
  embedding: {
    get: "getEmbeddingModel",
    set: "setEmbeddingModel",
    test: "testEmbeddingModel",
    remove: "deleteEmbeddingModel",
  },
} as const;
/** A test waits for the model as long as an answer does. */
const TEST_TIMEOUT_MS = 40_000;

export interface ModelPanelProps {
  agentId: string;
  kind: keyof typeof ROUTES;
}

export function ModelPanel({ agentId, kind }: ModelPanelProps) {
  const words = useScreenWords();
  const text = words.agent;
  const routes = ROUTES[kind];
  const [asks, setAsks] = useState<"edit" | "remove">();
  const model = useCall(routes.get, { agent_id: agentId });
  const remove = useAction(routes.remove, {
    changes: [routes.get],
    onDone: () => {
      showToast({ title: text.modelRemoved });
      test.reset();
    },
  });
  const testText = useModelWords();
  const test = useAction(routes.test, {
    changes: [routes.get, "getServiceStatus"],
    timeoutMs: TEST_TIMEOUT_MS,
  });
  const isMissing = isFailure(model.error, "notFound");
  const data = isMissing ? undefined : model.data;
  const close = () => setAsks(undefined);
  return (
    <Panel
      title={testText.kinds[kind]}
      lead={testText.leads[kind]}
      actions={
        <>
          {data !== undefined && (
            <>
              <Button size="sm" tone="quiet" onClick={() => setAsks("remove")}>
                {text.removeModel}
              </Button>
              <Button
                size="sm"
                busy={test.isPending}
                onClick={() =>
                  test.mutate({ agent_id: agentId }, { onError: (error) => showProblem(error, words) })
                }
              >
                {test.isPending ? testText.testing : testText.test}
              </Button>
            </>
          )}
          <Button size="sm" onClick={() => setAsks("edit")}>
            {data === undefined ? text.setModel : words.common.edit}
          </Button>
        </>
      }
    >
      {model.isError && !isMissing ? (
        <Problem error={model.error} onRetry={() => void model.refetch()} />
      ) : model.isPending ? (
        <SkeletonLines lines={3} />
      ) : data === undefined ? (
        <p className="text-sm text-ink-soft">{text.noModel}</p>
      ) : (
        <>
          <Facts
            facts={[
              { label: text.model, value: <span className="font-medium">{data.model}</span> },
              { label: text.url, value: <span className="font-mono text-xs wrap-anywhere">{data.url}</span> },
              { label: text.apiKey, value: data.api_key_set ? words.common.set : words.common.notSet },
              { label: text.timeout, value: `${data.timeout_seconds} ${text.seconds}` },
              { label: words.common.updated, value: <Time at={data.update_time} /> },
            ]}
          />
          <ModelState test={test.data} failure={data.failure} />
        </>
      )}
      {asks === "edit" && (
        <ModelForm agentId={agentId} kind={kind} model={data} onSaved={test.reset} onClose={close} />
      )}
      <ConfirmDialog
        open={asks === "remove"}
        onOpenChange={close}
        title={text.removeModelTitle}
        description={text.removeModelLead}
        confirm={text.removeModel}
        onConfirm={() => remove.mutateAsync({ agent_id: agentId })}
      />
    </Panel>
  );
}

interface ModelFormProps extends ModelPanelProps {
  model: AgentModel | undefined;
  /** What a test found is of the model before. */
  onSaved: () => void;
  onClose: () => void;
}

function ModelForm({ agentId, kind, model, onSaved, onClose }: ModelFormProps) {
  const words = useScreenWords();
  const text = words.agent;
  const { set, get } = ROUTES[kind];
  const [values, setValues] = useState({
    url: model?.url ?? "",
    model: model?.model ?? "",
    api_key: "",
    timeout: String(model?.timeout_seconds ?? 20),
  });
  const [problems, setProblems] = useState<Record<string, string>>({});
  const save = useAction(set, { changes: [get] });
  const isStored = model?.api_key_set === true;
  const isMoved = isAnotherServer(model, values.url);
  const submit = async () => {
    const body = {
      url: values.url.trim(),
      model: values.model.trim(),
      ...(values.api_key !== "" && { api_key: values.api_key }),
      timeout_seconds: Number(values.timeout),
    };
    const found = bodyProblems(set, body);
    if (isStored && isMoved && values.api_key === "") found["api_key"] = words.endpoints.enterAgain;
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      await save.mutateAsync({ agent_id: agentId, ...body });
      showToast({ title: text.modelSaved });
      onSaved();
      onClose();
    } catch (error) {
      setProblems({ url: problemOf(error, words).detail });
    }
  };
  const bind = (field: keyof typeof values) => ({
    value: values[field],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [field]: event.target.value }),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={useModelWords().kinds[kind]}
      submit={words.common.save}
      busy={save.isPending}
      onSubmit={submit}
    >
      <Field label={text.url} help={text.urlHelp} problem={problems["url"]}>
        <Input
          autoFocus
          type="url"
          placeholder="https://api.example.com/v1"
          spellCheck={false}
          {...bind("url")}
        />
      </Field>
      <Field label={text.model} problem={problems["model"]}>
        <Input spellCheck={false} {...bind("model")} />
      </Field>
      <Field
        label={text.apiKey}
        note={words.common.optional}
        help={isStored ? words.endpoints[isMoved ? "anotherServer" : "keepStored"] : text.apiKeyHelp}
        problem={problems["api_key"]}
      >
        <Input
          type="password"
          autoComplete="new-password"
          placeholder={isStored && !isMoved ? "••••••••" : ""}
          {...bind("api_key")}
        />
      </Field>
      <Field label={text.timeout} note={text.seconds} problem={problems["timeout_seconds"]}>
        <Input inputMode="numeric" className="max-w-32" {...bind("timeout")} />
      </Field>
    </FormDialog>
  );
}
