import { Button } from '#web/components/ui/button.tsx';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import type { UploadProgress as Progress } from '#web/lib/api/upload.ts';
import './file-field.css';

const spokenStepPercent = 25;

type UploadProgressProps = { fileName: string; progress: Progress; onCancel: () => void };

/** Progress of an upload, with a button to stop it. Announced at every quarter, not at every percent. */
export function UploadProgress({ fileName, progress, onCancel }: UploadProgressProps) {
  const percent = percentOf(progress);
  const isSent = percent === 100;
  const spoken = Math.floor(percent / spokenStepPercent) * spokenStepPercent;
  return (
    <div className="uploading">
      <p className="uploading-words">
        <span>{isSent ? 'Checking and sealing the file…' : `Uploading ${fileName}`}</span>
        <span className="num">{percent} %</span>
      </p>
      <ProgressBar value={percent} max={100} label={`${percent} percent of ${fileName} uploaded`} />
      <span className="vh" role="status">
        {isSent ? 'Checking and sealing the file' : `${spoken} percent uploaded`}
      </span>
      <Button variant="secondary" size="small" onClick={onCancel}>
        Cancel the upload
      </Button>
    </div>
  );
}

/** Whole percent of an upload. 100 only where all of it is sent. */
export function percentOf({ sentBytes, totalBytes }: Progress): number {
  return totalBytes > 0 ? Math.min(100, Math.floor((sentBytes / totalBytes) * 100)) : 0;
}
