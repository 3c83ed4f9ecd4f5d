import { fileSize } from '#shared/rules/sizes.ts';
import { Button } from '#web/components/ui/button.tsx';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import type { ExportProgress } from './use-export.ts';
import '#web/components/ui/file-field.css';

/** The length is only about right, so the bar waits a little before the end. */
const percentMax = 99;
const spokenStepPercent = 25;

type ExportProgressBarProps = { progress: ExportProgress; onCancel: () => void };

/** Progress of an export, with a button to stop it. Announced at every quarter. */
export function ExportProgressBar({ progress, onCancel }: ExportProgressBarProps) {
  const { bytes, totalBytes } = progress;
  const percent = totalBytes ? Math.min(percentMax, Math.floor((bytes / totalBytes) * 100)) : 0;
  const spoken = Math.floor(percent / spokenStepPercent) * spokenStepPercent;
  return (
    <div className="uploading">
      <p className="uploading-words">
        <span>{bytes === 0 ? 'Preparing your export…' : `Exporting, ${fileSize(bytes)} so far`}</span>
        {totalBytes ? <span className="num">{percent} %</span> : null}
      </p>
      {totalBytes ? <ProgressBar value={percent} max={100} label={`${percent} percent exported`} /> : null}
      <span className="vh" role="status">
        {totalBytes ? `${spoken} percent exported` : 'Preparing your export'}
      </span>
      <Button variant="secondary" size="small" onClick={onCancel}>
        Cancel the export
      </Button>
    </div>
  );
}
