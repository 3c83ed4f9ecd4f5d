import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { failureWords } from '#web/lib/api/saves.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { EnvelopeNotStored } from './enclosures/store-enclosures.ts';
import type { SaveRequest } from './store-message.ts';
import { envelopeNotStored, type useSaveMessage } from './use-save-message.ts';

/** Progress of saving, or the reason of its failure. */
export function SaveOutcome({
  save,
  progress,
  fileName,
  cancel,
}: Pick<ReturnType<typeof useSaveMessage>, 'save' | 'progress' | 'fileName' | 'cancel'>) {
  const attachment = save.variables?.attachment;
  if (save.isPending && progress) {
    return <UploadProgress fileName={fileName} progress={progress} onCancel={cancel} />;
  }
  if (!save.isError) return null;
  if (save.error instanceof UploadCancelled) {
    return <Banner>The upload was cancelled. What you wrote and the file you chose are still here.</Banner>;
  }
  if (save.error instanceof NotConfirmedError) {
    return <Banner>Your letter is not saved yet. What you wrote is still here.</Banner>;
  }
  if (save.error instanceof EnvelopeNotStored) {
    return (
      <Banner tone="bad" role="alert">
        {save.error.message} {envelopeNotStored}
      </Banner>
    );
  }
  return (
    <Banner tone="bad" role="alert">
      {problemOf(save.error, attachment)}
    </Banner>
  );
}

function problemOf(error: Error, attachment: SaveRequest['attachment'] | undefined): string {
  const words = failureWords(error, 'What you wrote is still here.');
  return attachment?.what === 'add' ? `Failed to upload file. ${words}` : words;
}
