import { CircleCheck, CircleX, Inbox, Plus, RotateCw, Trash2 } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import {
  Badge,
  Button,
  Checkbox,
  CodeView,
  type Column,
  ConfirmDialog,
  CopyableId,
  CopyLine,
  DataTable,
  Dialog,
  Drawer,
  EmptyState,
  Facts,
  Field,
  IconButton,
  Input,
  Key,
  Menu,
  Page,
  Panel,
  Problem,
  Select,
  showToast,
  SkeletonLines,
  Switch,
  Tabs,
  TextArea,
  Time,
} from "../../design/index.ts";
import { TextFilter } from "../../design/text-filter.tsx";

const SAMPLE_ID = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const SAMPLE_JSON = JSON.stringify({
  conversation_id: SAMPLE_ID,
  output: [{ content: { text: "We open at nine." } }],
  istest: true,
});
const COLOURS = [
  "page",
  "panel",
  "sunken",
  "hover",
  "selected",
  "line",
  "line-strong",
  "ink",
  "ink-soft",
  "ink-faint",
  "accent",
  "accent-soft",
  "good",
  "good-soft",
  "warn",
  "warn-soft",
  "bad",
  "bad-soft",
];
const SIZES = ["text-2xs", "text-xs", "text-sm", "text-base", "text-lg", "text-xl", "text-2xl"];

/** Every component in every state. English only: it is for developers of the console. */
export function Gallery() {
  return (
    <Page title="Components" lead="The design system: tokens and every component in every state.">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Tokens />
        <Buttons />
        <Fields />
        <States />
        <Layers />
        <Values />
        <Tables />
        <Nothing />
      </div>
    </Page>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-2">{children}</div>;
}

function Tokens() {
  return (
    <Panel title="Tokens">
      <div className="grid grid-cols-3 gap-2 sm:grid-cols-6">
        {COLOURS.map((name) => (
          <div key={name} className="text-2xs text-ink-faint">
            <div
              className="mb-1 h-8 rounded-md border border-line"
              style={{ background: `var(--color-${name})` }}
            />
            {name}
          </div>
        ))}
      </div>
      <div className="mt-4 flex flex-col gap-1">
        {SIZES.map((size) => (
          <p key={size} className={size}>
            {size} · Every message arrives 每条消息都送达
          </p>
        ))}
      </div>
    </Panel>
  );
}

function Buttons() {
  return (
    <Panel title="Button">
      <div className="flex flex-col gap-3">
        {(["md", "sm"] as const).map((size) => (
          <Row key={size}>
            <Button size={size} tone="primary">
              Primary
            </Button>
            <Button size={size}>Plain</Button>
            <Button size={size} tone="quiet">
              Quiet
            </Button>
            <Button size={size} tone="danger">
              Danger
            </Button>
            <Button size={size} icon={<Plus className="size-3.5" aria-hidden />}>
              With icon
            </Button>
            <Button size={size} disabled>
              Disabled
            </Button>
            <Button size={size} tone="primary" busy>
              Busy
            </Button>
            <IconButton size={size} label="Delete">
              <Trash2 className="size-3.5" aria-hidden />
            </IconButton>
          </Row>
        ))}
        <Menu
          align="start"
          trigger={<Button>Menu</Button>}
          groups={[
            {
              label: "Group",
              items: [
                { id: "a", label: "Chosen", checked: true, run: () => undefined },
                { id: "b", label: "Other", run: () => undefined },
              ],
            },
            { items: [{ id: "c", label: "Delete", tone: "bad", run: () => undefined }] },
          ]}
        />
      </div>
    </Panel>
  );
}

function Fields() {
  const [isOn, setIsOn] = useState(true);
  const [chosen, setChosen] = useState<string | null>("b");
  const options = [
    { value: null, label: "Any" },
    { value: "a", label: "Waiting" },
    { value: "b", label: "Delivered" },
  ];
  return (
    <Panel title="Field, input, text filter, select, checkbox, switch">
      <div className="flex flex-col gap-4">
        <Field label="Name" help="What it is called.">
          <Input placeholder="Support for the web shop" />
        </Field>
        <Field
          label="URL"
          note="optional"
          problem="Must be a whole URL that starts with http:// or https://."
        >
          <Input defaultValue="example.com/hooks" />
        </Field>
        <Field label="Words">
          <TextArea rows={2} defaultValue="I couldn't find an answer to that." />
        </Field>
        <Row>
          <TextFilter label="Search messages" text={undefined} onText={() => undefined} />
          <Select look="filter" label="State" value={chosen} options={options} onChange={setChosen} />
          <Select look="filter" label="Cause" value={null} options={options} onChange={() => undefined} />
        </Row>
        <Field label="State">
          <Select label="State" value={chosen} options={options} onChange={setChosen} />
        </Field>
        <Checkbox label="Remove stored credentials" checked={isOn} onChange={setIsOn} />
        <Switch
          label="Strict acknowledgement"
          help="Only the exact body counts."
          checked={isOn}
          onChange={setIsOn}
        />
      </div>
    </Panel>
  );
}

function States() {
  return (
    <Panel title="Badge, time, id, key">
      <div className="flex flex-col gap-3">
        <Row>
          <Badge>Neutral</Badge>
          <Badge tone="good" icon={CircleCheck}>
            Delivered
          </Badge>
          <Badge tone="warn" icon={RotateCw}>
            Retrying, try 3
          </Badge>
          <Badge tone="bad" icon={CircleX}>
            Given up
          </Badge>
          <Badge tone="accent">Running</Badge>
        </Row>
        <Facts
          facts={[
            { label: "Relative", value: <Time at={Date.now() - 125_000} /> },
            { label: "Absolute", value: <Time at={Date.now() - 125_000} as="full" /> },
            { label: "Short id", value: <CopyableId short id={SAMPLE_ID} label="sample" /> },
            { label: "Id", value: <CopyableId id={SAMPLE_ID} label="sample" /> },
            {
              label: "Keys",
              value: (
                <Row>
                  <Key>Ctrl</Key>
                  <Key>K</Key>
                </Row>
              ),
            },
          ]}
        />
        <CopyLine text="signalbox check --json" />
      </div>
    </Panel>
  );
}

function Layers() {
  const [open, setOpen] = useState<"dialog" | "confirm" | "drawer">();
  const [tab, setTab] = useState<"one" | "two">("one");
  const close = () => setOpen(undefined);
  return (
    <Panel title="Dialog, drawer, toast, tabs">
      <Row>
        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
        <Button onClick={() => setOpen("confirm")}>Confirm</Button>
        <Button onClick={() => setOpen("drawer")}>Drawer</Button>
        <Button
          onClick={() => showToast({ title: "Saved", action: { label: "Undo", run: () => undefined } })}
        >
          Toast
        </Button>
        <Button
          onClick={() =>
            showToast({
              tone: "bad",
              title: "Can't reach the service",
              description: "Check your network connection.",
            })
          }
        >
          Toast of a failure
        </Button>
      </Row>
      <div className="mt-4">
        <Tabs
          label="Sample"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: "one", label: "Request", content: <p className="text-sm">What was sent.</p> },
            { value: "two", label: "Response", content: <p className="text-sm">What was answered.</p> },
          ]}
        />
      </div>
      <Dialog
        open={open === "dialog"}
        onOpenChange={close}
        title="Rotate the signing secret"
        description="Both sign while they overlap."
        footer={<Button tone="primary">Rotate</Button>}
      >
        <Field label="Overlap">
          <Input defaultValue="24 hours" />
        </Field>
      </Dialog>
      <ConfirmDialog
        open={open === "confirm"}
        onOpenChange={close}
        title="Delete Corner shop?"
        description="This cannot be undone."
        confirm="Delete"
        onConfirm={() => Promise.resolve()}
      />
      <Drawer open={open === "drawer"} onOpenChange={close} title="Details">
        <div className="p-4 sm:p-6">
          <SkeletonLines />
        </div>
      </Drawer>
    </Panel>
  );
}

function Values() {
  return (
    <Panel title="Code">
      <div className="flex flex-col gap-3">
        <CodeView label="To be read" code={SAMPLE_JSON} json />
      </div>
    </Panel>
  );
}

interface Sample {
  id: string;
  name: string;
}

const MANY: Sample[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: String(index),
  name: `Delivery ${index + 1}`,
}));

function Tables() {
  const columns = useMemo(
    (): Column<Sample>[] => [
      { id: "id", width: "5rem", header: "Number", cell: ({ id }) => <span className="tabular">{id}</span> },
      { id: "name", width: "minmax(0,1fr)", header: "Name", cell: ({ name }) => name },
    ],
    [],
  );
  return (
    <Panel title="Table: ten thousand rows" flush>
      <div className="flex h-64 flex-col">
        <DataTable
          label="Sample rows"
          columns={columns}
          rows={MANY}
          idOf={({ id }) => id}
          compact={({ name }) => name}
          empty={null}
        />
      </div>
      <div className="flex h-48 flex-col border-t border-line">
        <DataTable
          label="Rows that load"
          columns={columns}
          rows={[]}
          loading
          idOf={({ id }) => id}
          compact={({ name }) => name}
          empty={null}
        />
      </div>
    </Panel>
  );
}

function Nothing() {
  return (
    <Panel title="Empty and failed" flush>
      <EmptyState
        icon={Inbox}
        title="No deliveries yet"
        command="signalbox listen --forward-to http://localhost:3000/hooks"
      >
        Set a message webhook, then send the agent a message.
      </EmptyState>
      <Problem
        error={new Error("The service answered with something unexpected.")}
        onRetry={() => undefined}
      />
      <SkeletonLines className="p-4" />
    </Panel>
  );
}
