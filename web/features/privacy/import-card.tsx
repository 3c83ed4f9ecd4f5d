import { type FormEvent, useState } from 'react';
import { importLimits } from '#shared/rules/imports.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { CheckboxField, TextAreaField } from '#web/components/ui/field.tsx';
import { FileField } from '#web/components/ui/file-field.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { useSession } from '#web/lib/session.ts';
import { doSettingsDiffer, importWords, SettingsCompared, StayingList } from './import-words.tsx';
import { type ImportResult, useImport } from './use-import.ts';

type Ticks = { takeSettings: boolean; asReady: boolean };
const noTicks: Ticks = { takeSettings: false, asReady: false };

/** Imports an export into this vault or another. Shows its content first, and asks for the owner's choices. */
export function ImportCard() {
  const [file, setFile] = useState<File>();
  const [key, setKey] = useState('');
  const [ticks, setTicks] = useState(noTicks);
  const importing = useImport(() => {
    setFile(undefined);
    setKey('');
    setTicks(noTicks);
  });
  const { progress, keyError, failure, result } = importing;
  const isArchive = file?.name.toLowerCase().endsWith('.zip') ?? false;
  const preview = result?.isPreview ? result : undefined;
  const choose = (chosen: File | undefined) => {
    importing.forget();
    setTicks(noTicks);
    setFile(chosen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!file || progress) return;
    importing.start(file, { key: isArchive ? key : null, ...(preview ? ticks : { preview: true }) });
  };
  return (
    <Card as="section" className="data-card" aria-labelledby="import-title">
      <h2 className="h-card" id="import-title">
        Import an export
      </h2>
      <p className="quiet">
        Imports an encrypted archive or JSON data into this vault, after you have seen its contents. What is already
        here stays as it is and is not doubled. Trusted contacts come in switched off, and no one gets an email.
      </p>
      {result && !preview ? <Banner tone="ok">{importWords(result)}</Banner> : null}
      {result && !preview ? <StayingList {...result} /> : null}
      {failure ? (
        <Banner tone="bad" role="alert">
          {failure}
        </Banner>
      ) : null}
      <form className="stack" onSubmit={submit}>
        <ExportFile file={file} onChoose={choose} locked={progress !== undefined} />
        {isArchive ? (
          <TextAreaField
            label="Key"
            hint="From the .key.txt file that was saved with the archive: the key alone, or all of the file"
            rows={3}
            value={key}
            error={keyError}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => {
              importing.forget();
              setKey(target.value);
            }}
          />
        ) : null}
        {preview ? <Review preview={preview} ticks={ticks} onChange={setTicks} /> : null}
        {progress && file ? (
          <UploadProgress fileName={file.name} progress={progress} onCancel={importing.cancel} />
        ) : (
          <div className="btns">
            <Button type="submit" variant="secondary" disabled={!file || (isArchive && key.trim() === '')}>
              {preview ? 'Import Data' : 'See What Is in It'}
            </Button>
          </div>
        )}
      </form>
      {importing.dialog}
    </Card>
  );
}

type ExportFileProps = { file: File | undefined; onChoose: (file: File | undefined) => void; locked: boolean };

function ExportFile({ file, onChoose, locked }: ExportFileProps) {
  const plan = useSession().user?.plan ?? 'free';
  const limit = fileSize(importLimits[plan].fileBytesMax);
  return (
    <FileField
      label="Export file"
      hint={`The .zip or .json file of an export, up to ${limit} on your plan`}
      accept=".zip,.json"
      file={file && { name: file.name, sizeBytes: file.size, mimeType: file.type }}
      onChoose={(chosen) => {
        onChoose(chosen);
        return true;
      }}
      onRemove={() => onChoose(undefined)}
      locked={locked}
    />
  );
}

/** Content of the export before the import, with the owner's choices. */
function Review({
  preview,
  ticks,
  onChange,
}: {
  preview: ImportResult;
  ticks: Ticks;
  onChange: (ticks: Ticks) => void;
}) {
  const { settings, readyMessages } = preview;
  return (
    <div className="import-review" role="status">
      <p>{importWords(preview)}</p>
      <StayingList {...preview} />
      {settings.inExport ? <SettingsCompared now={settings.now} inExport={settings.inExport} /> : null}
      {doSettingsDiffer(settings) ? (
        <CheckboxField
          label="Take over the release settings of the export"
          hint="They decide when your letters are sent, and who has a say. We ask you to confirm that it is you."
          checked={ticks.takeSettings}
          onChange={({ target }) => onChange({ ...ticks, takeSettings: target.checked })}
        />
      ) : null}
      {readyMessages > 0 ? (
        <CheckboxField
          label="Keep ready letters ready"
          hint="Otherwise all letters come in as drafts. If the other vault still has them, both would send them."
          checked={ticks.asReady}
          onChange={({ target }) => onChange({ ...ticks, asReady: target.checked })}
        />
      ) : null}
    </div>
  );
}
