import { type FormEvent, useState } from 'react';
import type { ExportFormat } from '#shared/contract/export.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { CheckboxField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { ExportProgressBar } from './export-progress.tsx';
import { PassphraseChoice, usePassphrase } from './passphrase-choice.tsx';
import { type ExportChoice, type SavedKey, saveKey, useExport } from './use-export.ts';

const formats: { format: ExportFormat; label: string; hint: string }[] = [
  {
    format: 'encrypted-zip',
    label: 'Encrypted archive (recommended)',
    hint: 'Your letters as a page to read, and every file as it is. A separate key file opens it.',
  },
  {
    format: 'json',
    label: 'JSON data',
    hint: 'Complete, for programs and for another Everkept. Anyone who has the file can read it.',
  },
  {
    format: 'pdf',
    label: 'PDF book',
    hint: 'Letters, contacts and the list of documents, set to be read and printed. Anyone who has the file can read it.',
  },
  {
    format: 'html',
    label: 'Page that opens anywhere',
    hint: 'Everything in one page, sealed with a passphrase. Any browser opens it without the internet and without us.',
  },
];

/** A book names files and holds none. */
const documentsHint = (format: ExportFormat) =>
  format === 'pdf'
    ? 'The book lists your documents. The files themselves are in the other formats.'
    : 'The files of your documents and attachments. Without them there is a list.';

const firstChoice: ExportChoice = { format: 'encrypted-zip', includeDocuments: true, includeAuditLogs: false };

const titleId = 'export-title';

/** The export on a page of its own. */
export function ExportCard() {
  return (
    <Card as="section" className="data-card" aria-labelledby={titleId}>
      <ExportForm />
    </Card>
  );
}

/** Export of everything: its format, its content and its progress. */
export function ExportForm() {
  const [choice, setChoice] = useState(firstChoice);
  const exporting = useExport();
  const { progress, savedKey } = exporting;
  const sealing = usePassphrase();
  const isPage = choice.format === 'html';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (progress || (isPage && !sealing.isReady())) return;
    exporting.start({ ...choice, ...(isPage ? { passphrase: sealing.passphrase } : {}) });
  };
  return (
    <>
      <h2 className="h-card" id={titleId}>
        Export your data
      </h2>
      <p className="quiet">
        Everything you put in, and what was recorded about you, in a file that is yours. Nothing in your vault changes.
      </p>
      <form className="stack" onSubmit={submit}>
        <fieldset className="data-choice" disabled={progress !== undefined}>
          <legend className="label">Export format</legend>
          {formats.map(({ format, label, hint }) => (
            <CheckboxField
              key={format}
              type="radio"
              name="format"
              label={label}
              hint={hint}
              checked={choice.format === format}
              onChange={() => setChoice({ ...choice, format })}
            />
          ))}
        </fieldset>
        <fieldset className="data-choice" disabled={progress !== undefined}>
          <legend className="label">What is in it</legend>
          <CheckboxField
            label="Include documents"
            hint={documentsHint(choice.format)}
            disabled={choice.format === 'pdf'}
            checked={choice.format === 'pdf' || choice.includeDocuments}
            onChange={({ target }) => setChoice({ ...choice, includeDocuments: target.checked })}
          />
          <CheckboxField
            label="Include audit logs"
            hint="Who did what in your vault, and when."
            checked={choice.includeAuditLogs}
            onChange={({ target }) => setChoice({ ...choice, includeAuditLogs: target.checked })}
          />
        </fieldset>
        {isPage ? <PassphraseChoice sealing={sealing} isLocked={progress !== undefined} /> : null}
        {progress ? (
          <ExportProgressBar progress={progress} onCancel={exporting.cancel} />
        ) : (
          <div className="btns">
            <Button type="submit">Export Data</Button>
          </div>
        )}
      </form>
      {savedKey ? <KeyNote savedKey={savedKey} /> : null}
      {exporting.dialog}
    </>
  );
}

function KeyNote({ savedKey }: { savedKey: SavedKey }) {
  return (
    <div className="data-key" role="status">
      <Icon name="info" />
      <p>
        The key is in <b className="data-name">{savedKey.name}</b>. Keep it in another place than the archive: we do not
        have it, and cannot make it again.
      </p>
      <Button variant="secondary" size="small" onClick={() => saveKey(savedKey)}>
        Save the key again
      </Button>
    </div>
  );
}
