{{- define "everkept.labels" -}}
app.kubernetes.io/name: everkept
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- /* Which pods are meant: of a dict with "root" and "role". */}}
{{- define "everkept.selector" -}}
app.kubernetes.io/name: everkept
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "everkept.claim" -}}
{{ .Values.data.existingClaim | default (printf "%s-data" .Release.Name) }}
{{- end }}

{{- /* What every pod is, of a dict with "root", "role" and "volume", where /data lies: nothing may be written to but /data and /tmp. */}}
{{- define "everkept.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# Ten seconds in which others look elsewhere, twenty for what is under way, and some more.
terminationGracePeriodSeconds: 45
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
volumes:
  - name: data
    {{- toYaml .volume | nindent 4 }}
  - name: tmp
    emptyDir: {}
  - name: master-key
    secret:
      secretName: {{ .root.Values.secrets.masterKey }}
      defaultMode: 0440
{{- end }}

{{- /* The container of every pod, without its probes. */}}
{{- define "everkept.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .root.Values.secrets.settings }} }
env:
  {{- if ne .role "migration" }}
  - { name: ROLE, value: {{ .role }} }
  {{- end }}
  - { name: MASTER_KEY_FILE, value: /run/secrets/everkept/master-key }
  {{- range $name, $value := .root.Values.settings }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  - { name: master-key, mountPath: /run/secrets/everkept, readOnly: true }
{{- end }}

{{- /* Of site and worker alike: both answer at the port of the image. */}}
{{- define "everkept.probes" -}}
ports:
  - { name: http, containerPort: 3000 }
startupProbe:
  httpGet: { path: /livez, port: http }
  periodSeconds: 2
  failureThreshold: 90
livenessProbe:
  httpGet: { path: /livez, port: http }
  periodSeconds: 20
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 3
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}
