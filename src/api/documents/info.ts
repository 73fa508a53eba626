/** What both documents say of the service as a whole. */
export const INFO = {
  title: 'Syrinx',
  version: '1.0.0',
  summary: 'Text to speech and speech to text',
  description:
    'A self-hosted speech service. The paths under `/api/v1/` keep their meaning for as long as there is a version 1.',
  license: { name: 'MIT', identifier: 'MIT' },
} as const
