import { answerDaysMax, quorumMax, waitingDaysDefault, waitingDaysMax } from '#shared/rules/inactivity.ts';
import { SelectField, TextField } from '#web/components/ui/field.tsx';
import { daysError } from '#web/lib/days.ts';
import { counted } from '#web/lib/format.ts';

export type Preferences = { quorum: number; waitingDays: number; answerDays: number };
/** As typed: a number that is being written may be none yet. */
export type PreferenceFields = { quorum: number; waitingDays: string; answerDays: string };

type MoreChoicesProps = {
  fields: PreferenceFields;
  onChange: (fields: PreferenceFields) => void;
  contactNames: readonly string[];
  /** True if silence alone can lead to a delivery. */
  isAutomatic: boolean;
};

const quorumWords = ['One of my contacts', 'Two of my contacts', 'Three of my contacts'];
export const quorumOptions = Array.from({ length: quorumMax }, (_, index) => ({
  value: index + 1,
  label: quorumWords[index] ?? String(index + 1),
}));

/** Settings that most people leave at their default, with explanations. */
export function MoreChoices({ fields, onChange, contactNames, isAutomatic }: MoreChoicesProps) {
  const holder = isAutomatic ? holderSentence(fields.quorum, contactNames) : null;
  return (
    <details className="opens more-choices">
      <summary>More choices</summary>
      <div className="stack">
        <SelectField
          label="Who must confirm a release"
          options={quorumOptions}
          value={fields.quorum}
          hint={quorumHint(fields.quorum, contactNames.length)}
          onChange={(event) => onChange({ ...fields, quorum: Number(event.target.value) })}
        />
        {holder ? <p className="small quiet">{holder}</p> : null}
        <TextField
          className="days"
          inputMode="numeric"
          label="Days to stop an early release"
          value={fields.waitingDays}
          error={daysError(fields.waitingDays, waitingDaysMax)}
          hint={waitingHint(fields.waitingDays)}
          onChange={(event) => onChange({ ...fields, waitingDays: event.target.value })}
        />
        {isAutomatic ? (
          <TextField
            className="days"
            inputMode="numeric"
            label="Days your contacts have to answer"
            value={fields.answerDays}
            error={daysError(fields.answerDays, answerDaysMax)}
            hint="When your time is over we ask them. If nobody answers within these days, your messages are delivered."
            onChange={(event) => onChange({ ...fields, answerDays: event.target.value })}
          />
        ) : null}
      </div>
    </details>
  );
}

/** The choices as numbers; null while one of them is none, or too many. */
export function readPreferences({ quorum, waitingDays, answerDays }: PreferenceFields): Preferences | null {
  if (daysError(waitingDays, waitingDaysMax) || daysError(answerDays, answerDaysMax)) return null;
  return { quorum, waitingDays: Number(waitingDays), answerDays: Number(answerDays) };
}

function waitingHint(waitingDays: string): string {
  return Number(waitingDays) === 0
    ? `If a contact confirms early, your messages can be read before you know of it. ${counted(waitingDaysDefault, 'day')} would give you time to stop a mistake.`
    : 'If a contact confirms early, we tell you first and wait this long. Three days gives you time to stop a mistake.';
}

/** Warns that one contact alone could stop the letters again and again. Null if the others could confirm without them. */
export function holderSentence(quorum: number, contactNames: readonly string[]): string | null {
  if (contactNames.length === 0 || contactNames.length - 1 >= quorum) return null;
  const who = contactNames.length === 1 ? contactNames[0] : 'Any one of your contacts';
  const others = contactNames.length === 1 ? 'no other contact can confirm' : 'the others are too few to confirm';
  return `${who} alone could keep your letters back: while they answer “Alive, but can’t answer” every month, nothing is sent by silence, and ${others}.`;
}

function quorumHint(quorum: number, confirmedContacts: number): string {
  if (confirmedContacts === 0)
    return 'You have no contact who has accepted and is switched on. Until you have one, nobody can confirm.';
  if (quorum > confirmedContacts) {
    return `${counted(confirmedContacts, 'contact')} can confirm now, so ${confirmedContacts === 1 ? 'one is' : 'two are'} enough until there are more.`;
  }
  return quorum === 1
    ? 'Any one of them can confirm. If anyone says no, everything pauses.'
    : `Nothing is released early until ${quorum === 2 ? 'two' : 'three'} of them have confirmed. If anyone says no, everything pauses.`;
}
