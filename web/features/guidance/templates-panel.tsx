import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { type Template, templates } from '#web/content/templates.ts';
import { TemplateForm } from './template-form.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { UpgradeNote } from './upgrade-note.tsx';
import type { FeatureAccess } from './use-access.ts';

/** The templates, or the one that is filled in. */
export function TemplatesPanel({ access, template }: { access: FeatureAccess; template: Template | undefined }) {
  if (access === 'unknown') return <SkeletonRows rows={3} label="Loading templates" />;
  if (template && access === 'granted') return <TemplateForm key={template.id} template={template} />;
  return (
    <>
      <p className="panel-lead">Papers to begin with. None of them is legal advice.</p>
      <UpgradeNote access={access} words="Filling in templates starts with the Essential plan." />
      <div className="templates">
        {templates.map((one) => (
          <TemplateCard key={one.id} template={one} hasAccess={access === 'granted'} />
        ))}
      </div>
    </>
  );
}

function TemplateCard({ template, hasAccess }: { template: Template; hasAccess: boolean }) {
  const { id, title, description, note, content } = template;
  return (
    <Card as="section" className={hasAccess ? 'template' : 'template is-dim'} aria-labelledby={`${id}-card`}>
      <h3 id={`${id}-card`}>{title}</h3>
      <p>{description}</p>
      <p className="hint">{note}</p>
      <TemplatePreview text={content} label={`Beginning of ${title}`} />
      {hasAccess ? (
        <ButtonLink variant="secondary" size="small" href={`#${id}`} aria-label={`Fill Online: ${title}`}>
          Fill Online
        </ButtonLink>
      ) : (
        <Badge tone="warn">Starts with Essential</Badge>
      )}
    </Card>
  );
}
