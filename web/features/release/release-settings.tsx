import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import {
  inactivityDaysOffered,
  type ReleaseMethod,
  type SilenceSchedule,
  silenceSchedule,
} from '#shared/rules/inactivity.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { SelectField } from '#web/components/ui/field.tsx';
import { call } from '#web/lib/api/api.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { isChangedElsewhere } from '#web/lib/api/saves.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { toast } from '#web/lib/toast.ts';
import { MoreChoices, type PreferenceFields, type Preferences, readPreferences } from './more-choices.tsx';
import { PlanLine } from './plan-line.tsx';
import { Readiness } from './readiness.tsx';
import { methodOptions, SettingsElsewhere } from './settings-elsewhere.tsx';
import { askedLabel } from './timeline-marks.ts';
import './release.css';
import { light } from '#web/lib/api/light-routes.ts';

type Settings = RouteResult<typeof light.updateReleaseSettings>;

type ReleaseSettingsProps = {
  settings: Settings;
  overview: Pick<
    ReleaseOverview,
    'contactNames' | 'quorum' | 'waitingDays' | 'answerDays' | 'ready' | 'problems' | 'standing'
  >;
};

const heading = (
  <div>
    <h2 className="h-card" id="release-title">
      Message Release Settings
    </h2>
    <p className="quiet">Who decides that it is time, and after how long.</p>
  </div>
);

type Saving = {
  /** Settings that the change is made from. */
  before: { settings: Settings; preferences: Preferences };
  /** Null if they stay as they are. */
  preferences: Preferences | null;
  onSaved: () => void;
};

function useSaveSettings({ before, preferences, onSaved }: Saving) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Save the settings');
  const save = useMutation({
    mutationFn: (body: Settings) =>
      run(async () => {
        const saved = await call(light.updateReleaseSettings, { body: { ...body, before: before.settings } });
        if (preferences)
          await call(light.updateReleasePreferences, { body: { ...preferences, before: before.preferences } });
        return saved;
      }),
    onSuccess: (saved) => {
      toast({ title: 'Settings Updated', description: 'Your message release preferences have been saved.' });
      client.setQueryData(keyOf(light.getReleaseSettings), saved);
      onSaved();
      // The line of time, the problems and the session all hold these settings.
      client.invalidateQueries();
    },
    onError: (error) => {
      if (error instanceof NotConfirmedError) return;
      // The choices of this window stay. A notice beside them shows the settings that are stored now.
      if (isChangedElsewhere(error)) return client.invalidateQueries();
      toast({ title: 'Update Failed', description: error.message, variant: 'destructive' });
    },
  });
  return { save, dialog };
}

/** Method and period of a release. The days below follow the choice. */
export function ReleaseSettings({ settings, overview }: ReleaseSettingsProps) {
  // Empty choice: the saved settings are shown and followed.
  const [choice, setChoice] = useState<Partial<Settings>>({});
  const chosen = { ...settings, ...choice };
  const [more, setMore] = useState<Partial<PreferenceFields>>({});
  const fields = { ...fieldsOf(overview), ...more };
  const preferences = readPreferences(fields);
  const isMoreChanged = preferences === null || !isSame(preferences, overview);
  const isChanged =
    chosen.releaseMethod !== settings.releaseMethod || chosen.inactivityDays !== settings.inactivityDays;
  useLeaveWarning(isChanged || isMoreChanged);
  const forgetChoices = () => {
    setChoice({});
    setMore({});
  };
  const { save, dialog } = useSaveSettings({
    before: { settings, preferences: preferencesOf(overview) },
    preferences: isMoreChanged ? preferences : null,
    onSaved: forgetChoices,
  });
  const wasRefused = isChangedElsewhere(save.error);
  const takeSaved = () => {
    forgetChoices();
    save.reset();
  };
  const schedule = silenceSchedule({ ...chosen, answerDays: (preferences ?? overview).answerDays });
  return (
    <section className="quiet-set" id="release" aria-labelledby="release-title">
      {heading}
      <div className="settings">
        <MethodFields
          chosen={chosen}
          keptDays={settings.inactivityDays}
          onChoose={(change) => setChoice({ ...choice, ...change })}
        />
        <PlanLine schedule={schedule} />
        <DayTable schedule={schedule} contactNames={overview.contactNames} />
        <MoreChoices
          fields={fields}
          onChange={setMore}
          contactNames={overview.contactNames}
          isAutomatic={chosen.releaseMethod === 'inactivity'}
        />
        {wasRefused ? (
          <SettingsElsewhere chosen={{ ...chosen, ...fields }} stored={{ ...settings, ...fieldsOf(overview) }} />
        ) : null}
        <div className="btns">
          <Button
            variant="secondary"
            busy={save.isPending}
            disabled={preferences === null}
            onClick={() => save.mutate(chosen)}
          >
            {save.isPending ? 'Saving…' : 'Save Settings'}
          </Button>
          {wasRefused ? (
            <Button variant="secondary" onClick={takeSaved}>
              Take the saved settings
            </Button>
          ) : null}
        </div>
        {dialog}
        <Readiness {...overview} hasRehearsal />
      </div>
    </section>
  );
}

type MethodFieldsProps = { chosen: Settings; keptDays: number; onChoose: (change: Partial<Settings>) => void };

function MethodFields({ chosen, keptDays, onChoose }: MethodFieldsProps) {
  return (
    <div className="row">
      <SelectField
        label="Release method"
        options={methodOptions}
        value={chosen.releaseMethod}
        onChange={(event) => onChoose({ releaseMethod: event.target.value as ReleaseMethod })}
      />
      {chosen.releaseMethod === 'inactivity' ? (
        <SelectField
          label="Inactivity period"
          options={periodOptions(keptDays)}
          value={chosen.inactivityDays}
          onChange={(event) => onChoose({ inactivityDays: Number(event.target.value) })}
        />
      ) : null}
    </div>
  );
}

/** The offered periods, and the one in force where it is another. */
function periodOptions(current: number) {
  const days = [...new Set([...inactivityDaysOffered, current])].sort((a, b) => a - b);
  return days.map((value) => ({ value, label: `${value} days` }));
}

function fieldsOf({ quorum, waitingDays, answerDays }: Preferences): PreferenceFields {
  return { quorum, waitingDays: String(waitingDays), answerDays: String(answerDays) };
}

function isSame(one: Preferences, other: Preferences): boolean {
  return one.quorum === other.quorum && one.waitingDays === other.waitingDays && one.answerDays === other.answerDays;
}

function DayTable({ schedule, contactNames }: { schedule: SilenceSchedule; contactNames: readonly string[] }) {
  const rows = [
    ['First reminder to you', `day ${schedule.firstReminderDay}`],
    ['Last reminder to you', `day ${schedule.lastReminderDay}`],
    [askedLabel(contactNames), `day ${schedule.contactsAskedDay}`],
    schedule.automaticDeliveryDay === null
      ? ['Delivered, when they confirm', 'any day']
      : ['Delivered, if nobody answers', `day ${schedule.automaticDeliveryDay}`],
  ] as const;
  return (
    <div className="says" aria-live="polite">
      <table>
        <caption className="vh">What these settings mean, in days without hearing from you</caption>
        <tbody>
          {rows.map(([what, when]) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td>{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function preferencesOf({ quorum, waitingDays, answerDays }: Preferences): Preferences {
  return { quorum, waitingDays, answerDays };
}
