import { Banner } from '#web/components/ui/banner.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import type { SaveRequest, useSaveMessage } from './use-save-message.ts';

/** How far saving has come, or why it has failed. */
export function SaveOutcome({ save, progress, cancel }: ReturnType<typeof useSaveMessage>) {
  const attachment = save.variables?.attachment;
  if (save.isPending && progress && attachment?.what === 'add') {
    return <UploadProgress fileName={attachment.file.name} progress={progress} onCancel={cancel} />;
  }
  if (!save.isError) return null;
  if (save.error instanceof UploadCancelled) {
    return <Banner>The upload was cancelled. What you wrote and the file you chose are still here.</Banner>;
  }
  return (
    <Banner tone="bad" role="alert">
      {problemOf(save.error, attachment)} What you wrote is still here.
    </Banner>
  );
}

function problemOf({ message }: Error, attachment: SaveRequest['attachment'] | undefined): string {
  return attachment?.what === 'add' ? `Failed to upload file. ${message}` : message;
}
