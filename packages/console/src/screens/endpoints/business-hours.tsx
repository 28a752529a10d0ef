import type { BusinessHours } from "@signalbox/contract";
import { Plus, X } from "lucide-react";
import { Button, classNames, Field, IconButton, Input, Switch } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
type Day = (typeof DAYS)[number];
type Span = BusinessHours["open"][number];

const OFFICE: Span = { days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "18:00" };

export interface BusinessHoursFieldsProps {
  hours: BusinessHours | null;
  problem: string | undefined;
  onChange: (hours: BusinessHours | null) => void;
}

export function BusinessHoursFields({ hours, problem, onChange }: BusinessHoursFieldsProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const begin = () =>
    onChange({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, open: [OFFICE] });
  const change = (index: number, span: Span | undefined) => {
    if (hours === null) return;
    const open = hours.open.flatMap((one, at) => (at === index ? (span === undefined ? [] : [span]) : [one]));
    onChange({ ...hours, open });
  };
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <Switch
        label={text.hours}
        help={hours === null ? text.hoursAlways : text.hoursHelp}
        checked={hours !== null}
        onChange={(isOn) => (isOn ? begin() : onChange(null))}
      />
      {hours !== null && (
        <>
          <Field label={text.timeZone} problem={problem}>
            <Input
              list="time-zones"
              value={hours.time_zone}
              onChange={(event) => onChange({ ...hours, time_zone: event.target.value })}
            />
          </Field>
          <datalist id="time-zones">
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          {hours.open.map((span, index) => (
            <div key={index} className="flex flex-wrap items-end gap-2">
              <div role="group" aria-label={text.hours} className="flex w-full flex-wrap gap-1">
                {DAYS.map((day) => (
                  <DayButton
                    key={day}
                    day={day}
                    isOn={span.days.includes(day)}
                    onChange={(days) => change(index, { ...span, days })}
                    span={span}
                  />
                ))}
              </div>
              <Field label={text.opens}>
                <Input
                  type="time"
                  className="w-28"
                  value={span.from}
                  onChange={(event) => change(index, { ...span, from: event.target.value })}
                />
              </Field>
              <Field label={text.closes}>
                <Input
                  type="time"
                  className="w-28"
                  value={span.to}
                  onChange={(event) => change(index, { ...span, to: event.target.value })}
                />
              </Field>
              {hours.open.length > 1 && (
                <IconButton label={words.common.remove} onClick={() => change(index, undefined)}>
                  <X className="size-4" aria-hidden />
                </IconButton>
              )}
            </div>
          ))}
          <div>
            <Button
              size="sm"
              icon={<Plus className="size-3.5" aria-hidden />}
              onClick={() => onChange({ ...hours, open: [...hours.open, OFFICE] })}
            >
              {text.addHours}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

interface DayButtonProps {
  day: Day;
  isOn: boolean;
  span: Span;
  onChange: (days: Day[]) => void;
}

function DayButton({ day, isOn, span, onChange }: DayButtonProps) {
  const text = useScreenWords().endpoints;
  const toggle = () => onChange(DAYS.filter((one) => (one === day ? !isOn : span.days.includes(one))));
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={toggle}
      className={classNames(
        "h-8 rounded-md border px-2 text-xs",
        isOn
          ? "border-accent/50 bg-accent-soft font-medium text-accent"
          : "border-line-strong text-ink-soft hover:bg-hover",
      )}
    >
      {text.days[day]}
    </button>
  );
}
