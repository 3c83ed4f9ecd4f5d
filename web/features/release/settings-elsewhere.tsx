import type { ReleaseMethod } from '#shared/rules/inactivity.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { comparedFields, FieldList } from '#web/components/versions/two-versions.tsx';
import { counted } from '#web/lib/format.ts';
import { type PreferenceFields, quorumOptions } from './more-choices.tsx';

type Shown = PreferenceFields & { releaseMethod: ReleaseMethod; inactivityDays: number };

type SettingsElsewhereProps = {
  /** The choices of this window. */
  chosen: Shown;
  /** The settings that another window or device has saved. */
  stored: Shown;
};

export const methodOptions = [
  { value: 'inactivity', label: 'Automatically, after inactivity' },
  { value: 'trusted_contact', label: 'Only when a trusted contact starts it' },
] satisfies { value: ReleaseMethod; label: string }[];

const labelOf = <Value,>(options: readonly { value: Value; label: string }[], wanted: Value) =>
  options.find(({ value }) => value === wanted)?.label ?? '';

const days = (value: number | string) => counted(Number(value), 'day');

const settingsShown: Parameters<typeof comparedFields<Shown>>[2] = [
  { label: 'Release method', of: ({ releaseMethod }) => labelOf(methodOptions, releaseMethod) },
  { label: 'Inactivity period', of: ({ inactivityDays }) => days(inactivityDays) },
  { label: 'Who must confirm a release', of: ({ quorum }) => labelOf(quorumOptions, quorum) },
  { label: 'Days to stop an early release', of: ({ waitingDays }) => days(waitingDays) },
  { label: 'Days your contacts have to answer', of: ({ answerDays }) => days(answerDays) },
];

/** Stored settings that differ from the choices of this window. */
export function SettingsElsewhere({ chosen, stored }: SettingsElsewhereProps) {
  const differing = comparedFields(chosen, stored, settingsShown).other.filter(({ isDifferent }) => isDifferent);
  return (
    <Banner role="alert">
      <div className="settings-elsewhere">
        <p>
          These settings were changed in another window or on another device. Nothing was overwritten. Your choices
          above are not saved yet. Save again to replace the saved settings, or take those.
        </p>
        {differing.length > 0 ? (
          <>
            <p className="label">Saved elsewhere</p>
            <FieldList fields={differing.map((field) => ({ ...field, isDifferent: false }))} />
          </>
        ) : null}
      </div>
    </Banner>
  );
}
