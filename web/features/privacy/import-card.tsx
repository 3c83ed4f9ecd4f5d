import { type FormEvent, useState } from 'react';
import type { importData } from '#shared/contract/export.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField } from '#web/components/ui/field.tsx';
import { FileField } from '#web/components/ui/file-field.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { counted } from '#web/lib/format.ts';
import { useImport } from './use-import.ts';

type Result = RouteResult<typeof importData>;

/** Brings an export back, into this vault or another. */
export function ImportCard() {
  const [file, setFile] = useState<File>();
  const [key, setKey] = useState('');
  const importing = useImport(() => {
    setFile(undefined);
    setKey('');
  });
  const { progress, keyError, failure, result } = importing;
  const isArchive = file?.name.toLowerCase().endsWith('.zip') ?? false;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file && !progress) importing.start(file, isArchive ? key : null);
  };
  return (
    <Card as="section" className="data-card" aria-labelledby="import-title">
      <h2 className="h-card" id="import-title">
        Import an export
      </h2>
      <p className="quiet">
        Takes an encrypted archive or JSON data into this vault. What is already here stays as it is and is not doubled.
        Delivered messages come in as drafts, trusted contacts switched off, and nobody is written to.
      </p>
      {result ? <Banner tone="ok">{wordsOf(result)}</Banner> : null}
      {failure ? (
        <Banner tone="bad" role="alert">
          {failure}
        </Banner>
      ) : null}
      <form className="stack" onSubmit={submit}>
        <FileField
          label="Export file"
          hint="The .zip or .json file of an export, up to 2 GB"
          accept=".zip,.json"
          file={file && { name: file.name, sizeBytes: file.size, mimeType: file.type }}
          onChoose={(chosen) => {
            importing.forget();
            setFile(chosen);
            return true;
          }}
          onRemove={() => setFile(undefined)}
          locked={progress !== undefined}
        />
        {isArchive ? (
          <TextAreaField
            label="Key"
            hint="From the .key.txt file that was saved with the archive: the key alone, or all of the file"
            rows={3}
            value={key}
            error={keyError}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => setKey(target.value)}
          />
        ) : null}
        {progress && file ? (
          <UploadProgress fileName={file.name} progress={progress} onCancel={importing.cancel} />
        ) : (
          <div className="btns">
            <Button type="submit" variant="secondary" disabled={!file || (isArchive && key.trim() === '')}>
              Import Data
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

function wordsOf({ messages, documents, contacts, checklists, alreadyThere, withoutFile }: Result): string {
  const added = [
    counted(messages, 'message'),
    counted(documents, 'document'),
    counted(contacts, 'trusted contact'),
    ...(checklists > 0 ? [counted(checklists, 'checklist')] : []),
  ];
  const isNothing = messages + documents + contacts + checklists === 0;
  const missing =
    withoutFile > 0
      ? [`${counted(withoutFile, 'file')} ${isOrAre(withoutFile)} not in this export, and stayed out.`]
      : [];
  return [
    isNothing ? 'Nothing was added.' : `Added: ${added.join(', ')}.`,
    ...(alreadyThere > 0 ? [`${alreadyThere} ${alreadyThere === 1 ? 'was' : 'were'} here already.`] : []),
    ...missing,
  ].join(' ');
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
