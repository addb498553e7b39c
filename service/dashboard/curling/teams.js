export const TEAMS = ['team0', 'team1'];
export const TEAM_NAMES = {team0: 'red', team1: 'yellow'};
export const other = team => (team === 'team0' ? 'team1' : 'team0');
