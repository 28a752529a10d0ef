{{- define "signalbox.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "signalbox.labels" -}}
app.kubernetes.io/name: signalbox
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "signalbox.metadata" -}}
name: {{ include "signalbox.name" .root }}-{{ .component }}
labels:
  {{- include "signalbox.labels" . | nindent 2 }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "signalbox.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "signalbox.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "signalbox.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- /* One copy on one machine is enough to lose: copies are spread over machines. */}}
{{- define "signalbox.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "signalbox.labels" . | nindent 8 }}
{{- end }}

{{- define "signalbox.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.existingSecret }}
      key: {{ .name }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{- define "signalbox.ingressUrl" -}}
{{- if .Values.restate.enabled -}}
http://{{ include "signalbox.name" . }}-restate:8080
{{- else -}}
{{ required "restate.external.ingressUrl is needed without restate.enabled" .Values.restate.external.ingressUrl }}
{{- end -}}
{{- end }}

{{- define "signalbox.adminUrl" -}}
{{- if .Values.restate.enabled -}}
http://{{ include "signalbox.name" . }}-restate:9070
{{- else -}}
{{ required "restate.external.adminUrl is needed without restate.enabled" .Values.restate.external.adminUrl }}
{{- end -}}
{{- end }}

{{- define "signalbox.env" -}}
{{- $settings := dict
  "HOST" "0.0.0.0"
  "INBOX_URL" (printf "http://%s-api:8080" (include "signalbox.name" .root))
  "ENGINE_INGRESS_URL" (include "signalbox.ingressUrl" .root)
  "ENGINE_ADMIN_URL" (include "signalbox.adminUrl" .root) }}
{{- if eq .component "worker" }}
{{- $_ := set $settings "ENGINE_SERVICE_HOST" "0.0.0.0" }}
{{- $_ := set $settings "ENGINE_SERVICE_URI" (printf "http://%s-worker:9080" (include "signalbox.name" .root)) }}
{{- end }}
{{- with .root.Values.publicUrl }}{{ $_ := set $settings "PUBLIC_URL" . }}{{ end }}
{{- with .root.Values.trustedProxies }}{{ $_ := set $settings "TRUSTED_PROXIES" . }}{{ end }}
{{- $settings = mergeOverwrite $settings (deepCopy .root.Values.settings) (deepCopy (index .root.Values .component).settings) }}
{{- range $name, $value := $settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{ include "signalbox.fromSecret" (dict "root" .root "name" "DATABASE_URL") }}
{{ include "signalbox.fromSecret" (dict "root" .root "name" "SEALING_KEYS") }}
{{ include "signalbox.fromSecret" (dict "root" .root "name" "OPERATOR_TOKEN" "optional" true) }}
{{- if eq .component "worker" }}
{{ include "signalbox.fromSecret" (dict "root" .root "name" "ENGINE_IDENTITY_KEYS") }}
{{- end }}
{{- end }}

{{- define "signalbox.deployment" -}}
{{- $values := index .root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "signalbox.metadata" . | nindent 2 }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "signalbox.labels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "signalbox.labels" . | nindent 8 }}
    spec:
      {{- include "signalbox.podSecurity" .root | nindent 6 }}
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # Longer than SHUTDOWN_DRAIN_SECONDS plus SHUTDOWN_GRACE_SECONDS.
      terminationGracePeriodSeconds: 45
      {{- include "signalbox.spread" . | nindent 6 }}
      containers:
        - name: {{ .component }}
          {{- include "signalbox.image" .root | nindent 10 }}
          args: [{{ .component }}]
          env:
            {{- include "signalbox.env" . | trim | nindent 12 }}
          ports:
            - name: http
              containerPort: 8080
            {{- if eq .component "worker" }}
            - name: engine
              containerPort: 9080
            {{- end }}
          # Up to five minutes: a process without its database waits for it.
          startupProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 2
            failureThreshold: 150
          livenessProbe:
            httpGet: { path: /livez, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: http }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 2
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          {{- include "signalbox.containerSecurity" .root | nindent 10 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
      volumes:
        - name: tmp
          emptyDir: {}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "signalbox.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "signalbox.labels" . | nindent 6 }}
{{- end }}
