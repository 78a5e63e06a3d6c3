//! HTTP: addresses, connections, TLS, redirects, retries, and requests to the service.
//!
//! From the lowest layer to the highest: [`address`], [`tls`], [`proxies`], [`redirect`] and [`retry`] contain the rules;
//! [`direct_client`], [`pools`] and [`connections`] send over a connection; [`config`] holds the settings of a client; [`context`] holds what the requests of one call share;
//! [`send`] sends one HTTP request; [`request`] sends an API request, with retries; [`problem`] reads error
//! responses.

pub(crate) mod address;
pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod connections;
pub(crate) mod content_coding;
pub(crate) mod context;
pub(crate) mod direct_client;
pub(crate) mod extra_headers;
pub(crate) mod http_client;
pub(crate) mod pools;
pub(crate) mod problem;
pub(crate) mod proxies;
pub(crate) mod redirect;
pub(crate) mod request;
pub(crate) mod retry;
pub(crate) mod send;
pub(crate) mod tls;
