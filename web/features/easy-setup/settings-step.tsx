import { answerDaysDefault, inactivityDaysOffered, silenceSchedule } from '#shared/rules/inactivity.ts';
import { CheckboxField, TextField } from '#web/components/ui/field.tsx';
import { recommendedDays } from './answers.rules.ts';
import { DaysQuestion } from './days-question.tsx';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** A phone for reminders, and how long a silence has to be. */
export function SettingsStep({ wizard }: { wizard: Wizard }) {
  const { settings } = wizard.answers;
  return (
    <StepForm wizard={wizard} part="settings">
      <div className="card setup-card">
        <TextField
          label="Phone (optional, recommended)"
          type="tel"
          autoComplete="tel"
          hint="For a reminder by text, besides those by email. We text you a code first; you type it on your dashboard."
          value={settings.phone}
          error={wizard.errors.phone}
          onChange={({ target }) => wizard.change({ settings: { ...settings, phone: target.value } }, 'phone')}
        />
        <fieldset className="setup-choice">
          <legend className="label">Inactivity period</legend>
          {inactivityDaysOffered.map((days) => (
            <CheckboxField
              key={days}
              type="radio"
              name="inactivityDays"
              label={days === recommendedDays ? `${days} days (recommended)` : `${days} days`}
              checked={settings.inactivityDays === days}
              onChange={() => wizard.change({ settings: { ...settings, inactivityDays: days } }, 'inactivityDays')}
            />
          ))}
        </fieldset>
        <p className="says" aria-live="polite">
          {meaningOf(settings.inactivityDays)}
        </p>
        <DaysQuestion
          value={settings.waitingDays}
          onChoose={(waitingDays) => wizard.change({ settings: { ...settings, waitingDays } }, 'waitingDays')}
        />
      </div>
    </StepForm>
  );
}

/** Meaning of a period, from the service's own arithmetic. */
function meaningOf(inactivityDays: number): string {
  const { firstReminderDay, lastReminderDay, contactsAskedDay } = silenceSchedule({
    inactivityDays,
    releaseMethod: 'inactivity',
    answerDays: answerDaysDefault,
  });
  return (
    `If we hear nothing from you, we remind you on day ${firstReminderDay} and on day ${lastReminderDay}. ` +
    `On day ${contactsAskedDay} we ask your trusted person. Signing in at any time starts the count again.`
  );
}
