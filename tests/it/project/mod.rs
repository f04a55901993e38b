//! A project's files and servers: settings, trust, names of tools, the cloud.

mod cloud;
mod finding;
mod packages;
mod settings;
mod trust;
