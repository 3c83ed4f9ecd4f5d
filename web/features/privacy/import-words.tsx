import type { ShownSettings } from '#shared/contract/export.ts';
import { counted, longDate } from '#web/lib/format.ts';
import type { ImportResult } from './use-import.ts';

/** Result of an import or its preview, in sentences. */
export function importWords(result: ImportResult): string {
  const { isPreview, messages, documents, contacts, checklists, alreadyThere, withoutFile } = result;
  const added = [
    counted(messages, 'message'),
    counted(documents, 'document'),
    counted(contacts, 'trusted contact'),
    ...(checklists > 0 ? [counted(checklists, 'checklist')] : []),
  ].join(', ');
  const isNothing = messages + documents + contacts + checklists === 0;
  const here = alreadyThere === 1 ? 'was' : 'were';
  const out = withoutFile === 1 ? 'is' : 'are';
  return [
    isPreview
      ? `To be added: ${isNothing ? 'nothing' : added}.`
      : isNothing
        ? 'Nothing was added.'
        : `Added: ${added}.`,
    ...(alreadyThere > 0
      ? [`${alreadyThere} ${isPreview ? (alreadyThere === 1 ? 'is' : 'are') : here} here already.`]
      : []),
    ...(withoutFile > 0
      ? [`${counted(withoutFile, 'file')} ${out} not in this export, and ${isPreview ? 'stay' : 'stayed'} out.`]
      : []),
    ...(result.settings.areTaken ? ['Your release settings are those of the export.'] : []),
  ].join(' ');
}

/** Items that exceed the plan, by name, with a remedy. */
export function StayingList({ stays, isPreview }: Pick<ImportResult, 'stays' | 'isPreview'>) {
  if (stays.length === 0) return null;
  return (
    <section className="import-stays" aria-label="What does not fit">
      <p>
        <b>{isPreview ? 'Will not fit' : 'Did not fit'}</b>: {counted(stays.length, 'thing')} for which there is no
        room. Keep the file; importing it again after an upgrade brings the rest and doubles nothing.
      </p>
      <ul>
        {stays.map(({ kind, title, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two letters may have one title, and the list never changes.
          <li key={`${kind} ${index}`}>
            <b className="data-name">{title}</b> <span className="quiet">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const methods = {
  inactivity: 'Automatically, after inactivity',
  trusted_contact: 'Only when a trusted contact starts it',
};
const rows: [label: string, say: (settings: ShownSettings) => string][] = [
  ['Release method', ({ releaseMethod }) => methods[releaseMethod]],
  ['Inactivity period', ({ inactivityDays }) => counted(inactivityDays, 'day')],
  ['Who must confirm', ({ quorum }) => counted(quorum, 'contact')],
  ['To stop an early release', ({ waitingDays }) => counted(waitingDays, 'day')],
  ['For contacts to answer', ({ answerDays }) => (answerDays === null ? 'As usual here' : counted(answerDays, 'day'))],
  ['Away until', ({ awayUntil }) => (awayUntil ? longDate(awayUntil) : 'Not away')],
];

/** The release settings of today beside those of the export. */
export function SettingsCompared({ now, inExport }: { now: ShownSettings; inExport: ShownSettings }) {
  return (
    <table className="import-settings">
      <caption className="label">Release settings</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Today</th>
          <th scope="col">In the export</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, say]) => (
          <tr key={label} className={say(now) === say(inExport) ? undefined : 'import-differs'}>
            <th scope="row">{label}</th>
            <td>{say(now)}</td>
            <td>{say(inExport)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** True if the settings of the export are other ones. */
export function doSettingsDiffer({ now, inExport }: ImportResult['settings']): boolean {
  return inExport !== null && rows.some(([, say]) => say(now) !== say(inExport));
}
