//! Writes the LibreOffice profile for untrusted documents, which allows no macros and no network access.

use std::fs;
use std::io;
use std::path::Path;

/// The settings. Each has a node of the configuration, a name and a value.
const SETTINGS: &[(&str, &str, &str)] = &[
    // Level 3 means that only macros from trusted locations run. No location is trusted.
    ("/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    // Type 2 means that the proxy is set manually. No program listens at the address of this proxy, so no request
    // leaves the computer.
    ("/org.openoffice.Inet/Settings", "ooInetProxyType", "2"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyPort", "9"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyPort", "9"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
];

/// Writes a profile with [`SETTINGS`] into the directory `profile`.
pub(super) fn write(profile: &Path) -> io::Result<()> {
    let user = profile.join("user");
    fs::create_dir_all(&user)?;
    let item = |(node, name, value): &(&str, &str, &str)| {
        format!(
            r#"<item oor:path="{node}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>"#
        )
    };
    let items: Vec<String> = SETTINGS.iter().map(item).collect();
    let text = format!(
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8"?>"#,
            "\n",
            r#"<oor:items xmlns:oor="http://openoffice.org/2001/registry" "#,
            r#"xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">"#,
            "\n{}\n</oor:items>\n"
        ),
        items.join("\n")
    );
    fs::write(user.join("registrymodifications.xcu"), text)
}
