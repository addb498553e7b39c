// What can be done with a node, by the states that allow it; the service has the last word.
export const ACTIONS = [
  {name: 'pause', label: 'Pause', states: ['active']},
  {name: 'resume', label: 'Resume', states: ['paused', 'draining', 'suspended'], look: 'primary'},
  {
    name: 'drain',
    label: 'Drain',
    states: ['active', 'paused'],
    confirm: {
      question: 'Let this node give its tasks back and end?',
      label: 'Drain the node',
      keep: 'Let it go on',
    },
  },
  {
    name: 'forget',
    label: 'Forget',
    states: ['suspended', 'left', 'active', 'paused', 'draining'],
    look: 'danger',
    confirm: {
      question: 'Forget this node? What it does goes to others.',
      label: 'Forget the node',
      keep: 'Keep it',
    },
  },
];
