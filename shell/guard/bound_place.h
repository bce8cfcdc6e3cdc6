// SPDX-License-Identifier: Apache-2.0
//
// The place of a run that binds an agent: below the folder of runs there is one folder
// for a protocol and a project, with the runs of the work, numbered from 1. One is under way; those
// before it were ended by a person.
#ifndef RPL_SHELL_GUARD_BOUND_PLACE_H_
#define RPL_SHELL_GUARD_BOUND_PLACE_H_

#include <string>

namespace rpl {

/// Where the work is. Paths are absolute.
struct BoundPlace {
  std::string protocol;
  std::string project;   // the folder
  std::string runs;      // the folder of all runs; "" for the user's own
  bool accepts = false;  // the run goes on with the text of the protocol as it is now
};

/// The place of a protocol's run. `project`: the folder of the work, or "": the nearest folder from
/// the working folder upwards in which there is a run of it, or else the repository.
BoundPlace FindBoundPlace(const std::string& protocol, const std::string& project,
                          const std::string& runs);
/// The folder of the repository that a folder is in, or itself.
std::string RepositoryOf(const std::string& folder);

/// The file of the run that is under way, which may not be there yet.
std::string CurrentRun(const BoundPlace& place);
/// Makes the folder that the file of a run is in, for its owner alone. What fails is seen when the
/// file is opened.
void MakeFolderOf(const std::string& run);
/// Ends the run that is under way: the next event begins another. False if there is none. `person`:
/// who confirmed it, or "".
bool EndCurrentRun(const BoundPlace& place, const std::string& person);
/// The person who ended the run before the one that is under way, or comes next; "" for nobody.
std::string EndedLastBy(const BoundPlace& place);
/// The store with the secret by which a person answers where there is no terminal, for all runs.
std::string SecretStoreOf(const BoundPlace& place);
/// Whether the protocol binds an agent: its text names relations over the calls of a host, or a
/// guard has begun a run of it.
bool Binds(const BoundPlace& place);
/// Whether a run was ended.
bool IsEndedRun(const std::string& file);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_BOUND_PLACE_H_
